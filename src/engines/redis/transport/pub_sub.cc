// SPDX-License-Identifier: Apache-2.0

#include "engines/redis/transport/pub_sub.h"

#include <poll.h>

#include <exception>
#include <utility>

#include "base/backoff.h"
#include "base/common_failures.h"
#include "base/descriptor.h"
#include "base/thread.h"
#include "base/time_left.h"
#include "engines/redis/transport/command.h"
#include "engines/redis/transport/socket.h"

namespace holdfast::redis {
namespace {

using namespace std::chrono_literals;
using engine::Deadline;

constexpr auto kQuiet = 5s;  // A PING follows such a silence, and its answer may take
                             // as long again.
constexpr auto kConnectTime = 2s;
constexpr auto kGapReport = 1s;  // After this time without a subscription, waiters are
                                 // told to look for themselves.

}  // namespace

PubSub::PubSub(Route route, const RetryPolicy& retry)
    : PubSub(std::move(route), ChannelType::plain, nullptr, retry) {}

PubSub::PubSub(Route route, std::function<void()> misplaced, const RetryPolicy& retry)
    : PubSub(std::move(route), ChannelType::shard, std::move(misplaced), retry) {}

PubSub::PubSub(Route route, ChannelType type, std::function<void()> misplaced,
               const RetryPolicy& retry)
    : route_(std::move(route)),
      misplaced_(std::move(misplaced)),
      retry_(retry),
      subscriptions_(route_.name, type) {}

PubSub::~PubSub() {
  {
    base::MutexLock lock(mutex_);
    stopping_ = true;
    if (stream_) stream_->shut_down();
    stopped_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

bool PubSub::is_subscribed(const std::string& channel) const {
  base::MutexLock lock(mutex_);
  return subscriptions_.is_confirmed(channel);
}

Result<void> PubSub::subscribe(const std::string& name,
                               std::shared_ptr<ChannelListener> subscriber,
                               Deadline until) {
  base::MutexLock lock(mutex_);
  const auto channel = subscriptions_.add(name, std::move(subscriber), out_);
  if (!ensure_started()) {
    return base::no_thread("listen to " + base::in_quotes(name) + " at " +
                           route_.name.called);
  }
  write();
  while (channel->state != Channel::State::confirmed) {
    if (channel->refused) return *channel->refused;
    const auto left = base::time_left(until);
    if (left == 0ns) {
      channel->gap = true;
      if (why_disconnected_) return *why_disconnected_;
      return base::not_answered(route_.name.called, Errc::unavailable,
                                "a subscription to " + base::in_quotes(name));
    }
    channel->changed.wait_for(lock, left);
  }
  return {};
}

void PubSub::unsubscribe(const std::string& name,
                         const ChannelListener& subscriber) noexcept {
  std::shared_ptr<ChannelListener>
      gone;  // It is destroyed after the mutex is released.
  base::MutexLock lock(mutex_);
  gone = subscriptions_.remove(name, subscriber, Clock::now(), out_);
  write();
}

void PubSub::reconnect() noexcept {
  base::MutexLock lock(mutex_);
  if (stream_) stream_->shut_down();
  stopped_.notify_all();  // ends a pause
}

void PubSub::move_away(const std::function<bool(std::string_view)>& is_elsewhere,
                       const std::function<PubSub*(std::string_view)>& home_of) {
  for (const auto& moved : take(is_elsewhere)) {
    if (PubSub* const home = home_of(moved.name)) home->adopt(moved);
  }
}

std::vector<Subscriptions::Moved> PubSub::take(
    const std::function<bool(std::string_view)>& is_elsewhere) {
  base::MutexLock lock(mutex_);
  auto taken = subscriptions_.take(is_elsewhere, out_);
  write();
  return taken;
}

void PubSub::adopt(const Subscriptions::Moved& moved) noexcept {
  base::MutexLock lock(mutex_);
  subscriptions_.adopt(moved, out_);
  if (!ensure_started()) return subscriptions_.report_gap();
  write();
}

// Returns false if the system gives no thread. Nothing is requested then, so that
// idle channels can be swept.
bool PubSub::ensure_started() {
  if (thread_.joinable()) return true;
  try {
    thread_ = base::start_thread("hf-redis-pubsub", [this] { run(); });
  } catch (const std::exception&) {
    disconnect();
    return false;
  }
  return true;
}

void PubSub::report_misplaced() {
  if (misplaced_) misplaced_();
}

void PubSub::run() {
  base::Backoff backoff(retry_);
  base::MutexLock lock(mutex_);
  while (!stopping_) {
    const auto disconnected_since = Clock::now();
    for (bool told = false; !stopping_ && !survives(&PubSub::connect);) {
      stopped_.wait_for(lock, backoff.failed());
      if (told || Clock::now() - disconnected_since < kGapReport) continue;
      subscriptions_.report_gap();
      told = true;
    }
    const auto connected = Clock::now();
    while (!stopping_ && survives(&PubSub::receive)) {
    }
    disconnect();
    if (Clock::now() - connected > kQuiet) backoff.reset();
  }
}

// Without memory a connection is given up. The next one begins with all channels.
bool PubSub::survives(bool (PubSub::*step)()) {
  try {
    return (this->*step)();
  } catch (const std::exception&) {
    why_disconnected_ = base::no_memory("listen to", route_.name.called);
    stream_.reset();
    return false;
  }
}

bool PubSub::connect() {
  Result<std::unique_ptr<Stream>> stream(nullptr);
  {
    const base::MutexUnlock unlock(mutex_);
    stream = route_.open(Clock::now() + kConnectTime);
  }
  if (!stream) {
    why_disconnected_ = stream.error();
    report_misplaced();
    // A caller need not wait until this process has closed some descriptor.
    if (!base::can_open_more()) subscriptions_.refuse(*why_disconnected_);
    return false;
  }
  why_disconnected_.reset();
  stream_ = *std::move(stream);
  reader_.emplace();
  out_.clear();
  received_at_ = Clock::now();
  pinged_ = false;
  subscriptions_.begin_again(out_);
  write();
  return true;
}

void PubSub::disconnect() {
  stream_.reset();
  out_.clear();
  subscriptions_.broke();
}

// Returns false when the connection cannot be used any more.
bool PubSub::receive() {
  const auto now = Clock::now();
  if (now - received_at_ >= kQuiet * (pinged_ ? 2 : 1)) {
    if (pinged_) return false;
    Command(out_, 1).add("PING");
    pinged_ = true;
  }
  subscriptions_.sweep(now, out_);
  if (!write()) return false;

  const short events = out_.empty() ? POLLIN : POLLIN | POLLOUT;
  const auto until = received_at_ + kQuiet * (pinged_ ? 2 : 1);
  Stream& stream = *stream_;  // Only this thread replaces the stream.
  {
    const base::MutexUnlock unlock(mutex_);
    poll_until(stream.fd(), events, until);
    stream.wait(false, Deadline::min());
  }
  return read();
}

bool PubSub::read() {
  for (;;) {
    const auto bytes = stream_->read_some();
    if (!bytes || !reader_->feed(*bytes)) return false;
    if (bytes->empty()) return true;
    received_at_ = Clock::now();
    pinged_ = false;
    for (;;) {
      const auto reply = reader_->next();
      if (!reply) return false;
      if (!*reply) break;
      if (!subscriptions_.handle((*reply)->view())) return false;
      if (subscriptions_.take_misplaced()) report_misplaced();
    }
  }
}

// A caller's thread may be here, so without memory the stream is only shut down: the
// connection's thread replaces it.
bool PubSub::write() noexcept {
  if (!stream_ || out_.empty()) return true;
  try {
    const auto sent = stream_->write_some(out_);
    if (!sent) return false;
    out_.erase(0, *sent);
    return true;
  } catch (const std::exception&) {
    stream_->shut_down();
    return false;
  }
}

}  // namespace holdfast::redis
