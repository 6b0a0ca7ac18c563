// SPDX-License-Identifier: Apache-2.0

#include "engines/redis/wakeups.h"

#include <charconv>
#include <utility>

namespace holdfast::redis {
namespace {

// A watcher looks again after this time, in case a message was lost.
constexpr std::chrono::seconds kLookAgain{1};

}  // namespace

// scripts/README.md explains the messages "00", "01" and "017".
void Waiter::on_message(std::string_view message) noexcept {
  const bool ours = message.size() > 1 && message.front() == '0';
  if (wakes_on_all_ || !ours) waker_->ring();
}

// The scripts publish a ticket here, or "-ticket" when an operator has ended that
// claim.
class Waiters::SessionChannel final : public Subscriber {
 public:
  SessionChannel(const Waiters& waiters, engine::Waker alarm) noexcept
      : waiters_(waiters), alarm_(std::move(alarm)) {}

  void on_message(std::string_view message) noexcept override {
    std::int64_t number = 0;
    std::from_chars(message.data(), message.data() + message.size(), number);
    const auto ticket =
        engine::Ticket{static_cast<std::uint64_t>(number < 0 ? -number : number)};
    if (const auto waiter = waiters_.find(ticket)) waiter->ring();
    if (number < 0) on_gap();
  }
  void on_gap() noexcept override {
    if (alarm_ != nullptr) alarm_->ring();
  }

 private:
  const Waiters& waiters_;
  const engine::Waker alarm_;
};

Waiters::Waiters(PubSub& pub_sub, std::string_view client, engine::Waker alarm)
    : pub_sub_(pub_sub),
      session_channel_("holdfast_bell:" + std::string(client)),
      session_subscriber_(std::make_shared<SessionChannel>(*this, std::move(alarm))) {}

Waiters::~Waiters() { pub_sub_.unsubscribe(session_channel_, *session_subscriber_); }

std::shared_ptr<Waiter> Waiters::find(engine::Ticket ticket) const {
  base::MutexLock lock(mutex_);
  const auto known = waiters_.find(ticket);
  return known == waiters_.end() ? nullptr : known->second;
}

Result<std::shared_ptr<Waiter>> Waiters::add(engine::Ticket ticket, engine::Waker waker,
                                             std::string channel, bool wakes_on_all,
                                             engine::Deadline until) {
  auto waiter =
      std::make_shared<Waiter>(std::move(waker), std::move(channel), wakes_on_all);
  {
    base::MutexLock lock(mutex_);
    waiters_[ticket] = waiter;
  }
  Result<void> subscribed;
  if (!pub_sub_.is_subscribed(session_channel_))
    subscribed = pub_sub_.subscribe(session_channel_, session_subscriber_, until);
  auto also_subscribed = pub_sub_.subscribe(waiter->channel(), waiter, until);
  if (!also_subscribed) subscribed = std::move(also_subscribed);
  if (!subscribed) return std::move(subscribed).error();
  return waiter;
}

void Waiters::remove(engine::Ticket ticket) noexcept {
  std::shared_ptr<Waiter> waiter;
  {
    base::MutexLock lock(mutex_);
    const auto known = waiters_.find(ticket);
    if (known == waiters_.end()) return;
    waiter = std::move(known->second);
    waiters_.erase(known);
  }
  pub_sub_.unsubscribe(waiter->channel(), *waiter);
}

void Waiters::subscribe_session() {
  if (!pub_sub_.is_subscribed(session_channel_)) {
    (void)pub_sub_.subscribe(session_channel_, session_subscriber_, engine::Deadline{});
  }
}

bool Waiters::is_subscribed(const std::string& channel) const {
  return pub_sub_.is_subscribed(channel) && pub_sub_.is_subscribed(session_channel_);
}

Result<engine::Watch> watch_channel(std::shared_ptr<PubSub> pub_sub,
                                    std::string channel, engine::Waker waker,
                                    engine::Deadline until) {
  struct WatchSubscriber final : Subscriber {
    explicit WatchSubscriber(engine::Waker w) noexcept : waker(std::move(w)) {}
    void on_message(std::string_view) noexcept override { waker->ring(); }
    void on_gap() noexcept override { waker->ring(); }
    const engine::Waker waker;
  };
  struct Keep {
    std::shared_ptr<PubSub> pub_sub;
    std::string channel;
    std::shared_ptr<WatchSubscriber> subscriber;
    ~Keep() { pub_sub->unsubscribe(channel, *subscriber); }
  };
  auto keep =
      std::make_shared<Keep>(Keep{std::move(pub_sub), std::move(channel),
                                  std::make_shared<WatchSubscriber>(std::move(waker))});
  const auto subscribed =
      keep->pub_sub->subscribe(keep->channel, keep->subscriber, until);
  if (!subscribed) return subscribed.error();
  return engine::Watch{std::move(keep), kLookAgain};
}

}  // namespace holdfast::redis
