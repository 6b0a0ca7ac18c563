// SPDX-License-Identifier: Apache-2.0

#include "engines/redis/transport/connector.h"

#include <algorithm>
#include <utility>

#include "base/pause.h"
#include "base/time_left.h"

namespace holdfast::redis {

using namespace std::chrono_literals;

namespace {

// This is the pause between two checks whether the address leads to another server.
constexpr auto kStalePause = 100ms;

}  // namespace

Connector::Connector(Route route, std::function<void()> reconnected,
                     std::function<void()> moved, const RetryPolicy& retry)
    : route_(std::move(route)),
      reconnected_(std::move(reconnected)),
      moved_(std::move(moved)),
      backoff_(retry) {}

Result<std::unique_ptr<Stream>> Connector::connect(engine::Deadline until) {
  if (auto why = wait_for_turn(until)) return *std::move(why);
  auto stream = route_.open(until);
  if (!stream) {
    note(stream.error());
    return stream;
  }
  {
    base::MutexLock lock(mutex_);
    why_.reset();
    backoff_.reset();
    changed_.notify_all();
  }
  if (broken_.exchange(false) && reconnected_) reconnected_();
  if (stale_.exchange(false) && moved_) moved_();
  return stream;
}

void Connector::broke() noexcept {
  breaks_.fetch_add(1);
  broken_.store(true);
}

void Connector::mark_stale(std::uint32_t generation) {
  if (!generation_.compare_exchange_strong(generation, generation + 1)) return;
  stale_.store(true);
  base::MutexLock lock(mutex_);
  const std::string remedy = route_.name.fails_over
                                 ? "a failover is under way, so try again later"
                                 : "the URL must lead to its primary";
  why_ = Failure(Errc::unavailable,
                 route_.name.called + " has become a replica: " + remedy);
  not_before_ = Clock::now() + base::jittered(kStalePause);
}

void Connector::begin_generation() {
  generation_.fetch_add(1);
  base::MutexLock lock(mutex_);
  why_.reset();
  backoff_.reset();
  changed_.notify_all();
}

std::optional<Failure> Connector::wait_for_turn(engine::Deadline until) {
  base::MutexLock lock(mutex_);
  for (;;) {
    const auto now = Clock::now();
    if (!why_ || now >= not_before_) return std::nullopt;
    if (why_->code != Errc::unavailable || now >= until) return why_;
    changed_.wait_for(lock, base::time_left(std::min(until, not_before_)));
  }
}

void Connector::note(const Failure& why) {
  base::MutexLock lock(mutex_);
  why_ = why;
  const auto now = Clock::now();
  if (now < not_before_) return;  // Several connections failed at the same time.
  not_before_ = now + backoff_.failed();
}

}  // namespace holdfast::redis
