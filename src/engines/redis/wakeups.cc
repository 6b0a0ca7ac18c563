// SPDX-License-Identifier: Apache-2.0

#include "engines/redis/wakeups.h"

#include <algorithm>
#include <charconv>
#include <exception>
#include <utility>
#include <vector>

namespace holdfast::redis {
namespace {

// A watcher looks again after this time, in case a message was lost.
constexpr std::chrono::seconds kLookAgain{1};

constexpr std::chrono::seconds kBetweenSweeps{1};

}  // namespace

// scripts/README.md explains the messages "00", "01" and "017".
void Waiter::on_message(std::string_view message) noexcept {
  const bool ours = message.size() > 1 && message.front() == '0';
  if (wakes_on_all_ || !ours) ring();
}

void Waiter::ring() noexcept {
  base::MutexLock lock(mutex_);
  ring_waker();
}

void Waiter::ring_waker() noexcept {
  rung_ = true;
  if (waker_ != nullptr) waker_->ring();
}

void Waiter::disarm() noexcept {
  engine::Waker gone;  // It is destroyed after the mutex is released.
  base::MutexLock lock(mutex_);
  gone.swap(waker_);
}

void Waiter::deliver(std::optional<HandOver> grant) noexcept {
  base::MutexLock lock(mutex_);
  delivered_.reset();
  if (grant) delivered_ = {*grant, Clock::now()};
  ring_waker();
}

std::optional<engine::Granted> Waiter::take_grant() noexcept {
  std::optional<Delivered> taken;
  base::MutexLock lock(mutex_);
  taken.swap(delivered_);
  if (!taken || !server_time_) return std::nullopt;
  const HandOver& grant = taken->grant;
  const auto end = server_time_->of_grant(grant, taken->heard) + grant.lease;
  const engine::LeaseTime left = end - Clock::now();
  if (left < grant.lease / 2) return std::nullopt;
  return engine::Granted{.token = grant.token, .tokens = grant.tokens, .lease = left};
}

void Waiter::blocked(const std::optional<ServerTime>& at,
                     std::int64_t arrival) noexcept {
  set_server_time(at);
  arrival_ = arrival;
}

void Waiter::set_server_time(const std::optional<ServerTime>& at) noexcept {
  base::MutexLock lock(mutex_);
  server_time_ = at;
}

// The scripts publish a ticket here, with the grant if they have made it, or "-ticket"
// when an operator has ended that claim.
class Waiters::SessionChannel final : public ChannelListener {
 public:
  SessionChannel(const Waiters& waiters, Slot slot)
      : waiters_(waiters), slot_(slot), name_(waiters.session_channel(slot)) {}

  const std::string& name() const noexcept { return name_; }

  void on_message(std::string_view message) noexcept override {
    std::int64_t number = 0;
    const char* const end = message.data() + message.size();
    const char* const rest = std::from_chars(message.data(), end, number).ptr;
    const auto bits = static_cast<std::uint64_t>(number);  // -INT64_MIN overflows.
    const engine::Ticket ticket{number < 0 ? 0 - bits : bits};
    if (const auto waiter = waiters_.find(slot_, ticket)) {
      waiter->deliver(read_hand_over({rest, end}));
    }
    if (number < 0) ring_alarm();
  }
  void on_gap() noexcept override {
    waiters_.ring_all(slot_);
    ring_alarm();
  }

 private:
  void ring_alarm() const noexcept {
    if (waiters_.alarm_ != nullptr) waiters_.alarm_->ring();
  }

  const Waiters& waiters_;
  const Slot slot_;
  const std::string name_;
};

Waiters::Waiters(Channels& channels, std::string_view client,
                 std::function<std::string(Slot)> prefix_of, engine::Waker alarm)
    : channels_(channels),
      client_(client),
      prefix_of_(std::move(prefix_of)),
      alarm_(std::move(alarm)) {}

Waiters::~Waiters() {
  decltype(sessions_) sessions;
  {
    base::MutexLock lock(mutex_);
    sessions.swap(sessions_);
  }
  for (const auto& [slot, session] : sessions) {
    if (session.channel)
      channels_.unsubscribe(session.channel->name(), *session.channel);
  }
}

std::shared_ptr<Waiter> Waiters::find(Slot slot, engine::Ticket ticket) const {
  base::MutexLock lock(mutex_);
  const auto known = waiters_.find({slot, ticket});
  return known == waiters_.end() ? nullptr : known->second;
}

void Waiters::ring_all(Slot slot) const noexcept {
  base::MutexLock lock(mutex_);
  for (auto at = waiters_.lower_bound({slot, engine::Ticket::none});
       at != waiters_.end() && at->first.first == slot; ++at) {
    at->second->ring();
  }
}

std::shared_ptr<Waiter> Waiters::add(Slot slot, engine::Ticket ticket,
                                     engine::Waker waker, engine::Deadline until) {
  auto waiter = std::make_shared<Waiter>(slot, std::move(waker));
  {
    base::MutexLock lock(mutex_);
    waiters_[{slot, ticket}] = waiter;
    ++sessions_[slot].users;
  }
  subscribe_session(slot, until);
  return waiter;
}

void Waiters::add_channel(const std::shared_ptr<Waiter>& waiter, std::string channel,
                          bool wakes_on_all, engine::Deadline until) {
  // A waiter that subscribes again may be hearing messages.
  if (!waiter->has_channel()) {
    waiter->channel_ = std::move(channel);
    waiter->wakes_on_all_ = wakes_on_all;
    waiter->has_channel_.store(true);
  }
  (void)channels_.subscribe(waiter->channel_, waiter, until);
}

bool Waiters::is_confirmed(const Waiter& waiter) const {
  return is_subscribed(waiter.slot_, waiter.channel_);
}

void Waiters::remove(Slot slot, engine::Ticket ticket) noexcept {
  std::shared_ptr<Waiter> waiter;
  {
    base::MutexLock lock(mutex_);
    const auto known = waiters_.find({slot, ticket});
    if (known == waiters_.end()) return;
    waiter = std::move(known->second);
    waiters_.erase(known);
    SessionChannelEntry& session = sessions_.find(waiter->slot_)->second;
    --session.users;
    session.kept_until = std::max(session.kept_until, Clock::now() + kKept);
  }
  waiter->disarm();
  if (!waiter->channel_.empty()) channels_.unsubscribe(waiter->channel_, *waiter);
}

// A channel that was given back stays subscribed for a few seconds, but leads to no
// session: only one to which this session was added counts.
void Waiters::subscribe_session(Slot slot, engine::Deadline until,
                                std::chrono::milliseconds kept) {
  std::shared_ptr<SessionChannel> channel;
  bool was_added = false;
  {
    base::MutexLock lock(mutex_);
    SessionChannelEntry& session = sessions_[slot];
    if (!session.channel) {
      session.channel = std::make_shared<SessionChannel>(*this, slot);
    }
    ++session.users;
    channel = session.channel;
    was_added = session.added;
  }
  bool is_added = false;
  try {
    if (!was_added || !channels_.is_subscribed(channel->name())) {
      (void)channels_.subscribe(channel->name(), channel, until);
    }
    is_added = true;
  } catch (const std::exception&) {  // There is no memory; the next call tries again.
  }
  const auto now = Clock::now();
  {
    base::MutexLock lock(mutex_);
    SessionChannelEntry& session = sessions_.find(slot)->second;
    --session.users;
    session.added = session.added || is_added;
    session.kept_until = std::max(session.kept_until, now + kept);
    if (was_added || now < next_sweep_) return;
    next_sweep_ = now + kBetweenSweeps;
  }
  sweep(now);
}

bool Waiters::is_subscribed(Slot slot, const std::string& channel) const {
  std::shared_ptr<SessionChannel> mine;
  {
    base::MutexLock lock(mutex_);
    const auto known = sessions_.find(slot);
    if (known == sessions_.end() || !known->second.added) return false;
    mine = known->second.channel;
  }
  return (channel.empty() || channels_.is_subscribed(channel)) &&
         channels_.is_subscribed(mine->name());
}

void Waiters::sweep(Clock::time_point now) {
  std::vector<std::shared_ptr<SessionChannel>> gone;
  {
    base::MutexLock lock(mutex_);
    std::erase_if(sessions_, [&](const auto& each) {
      const SessionChannelEntry& session = each.second;
      if (session.users > 0 || session.kept_until > now) return false;
      if (session.channel) gone.push_back(session.channel);
      return true;
    });
  }
  for (const auto& each : gone) channels_.unsubscribe(each->name(), *each);
}

Result<engine::Watch> watch_channel(std::shared_ptr<Channels> channels,
                                    std::string channel, engine::Waker waker,
                                    engine::Deadline until) {
  struct WatchListener final : ChannelListener {
    explicit WatchListener(engine::Waker w) noexcept : waker(std::move(w)) {}
    void on_message(std::string_view) noexcept override { waker->ring(); }
    void on_gap() noexcept override { waker->ring(); }
    const engine::Waker waker;
  };
  struct ActiveWatch {
    ActiveWatch(std::shared_ptr<Channels> c, std::string name, engine::Waker waker)
        : channels(std::move(c)),
          channel(std::move(name)),
          subscriber(std::make_shared<WatchListener>(std::move(waker))) {}
    ~ActiveWatch() { channels->unsubscribe(channel, *subscriber); }
    ActiveWatch(const ActiveWatch&) = delete;
    ActiveWatch& operator=(const ActiveWatch&) = delete;

    const std::shared_ptr<Channels> channels;
    const std::string channel;
    const std::shared_ptr<WatchListener> subscriber;
  };
  auto watch = std::make_shared<ActiveWatch>(std::move(channels), std::move(channel),
                                             std::move(waker));
  const auto subscribed =
      watch->channels->subscribe(watch->channel, watch->subscriber, until);
  if (!subscribed) return subscribed.error();
  return engine::Watch{std::move(watch), kLookAgain};
}

}  // namespace holdfast::redis
