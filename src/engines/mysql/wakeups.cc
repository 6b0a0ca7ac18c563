// SPDX-License-Identifier: Apache-2.0

#include "engines/mysql/wakeups.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "base/time_left.h"
#include "engines/mysql/transport/sql.h"

namespace holdfast::mysql {

using namespace std::chrono_literals;

BellWait::Outcome BellWait::outcome() const {
  base::MutexLock lock(mutex_);
  return outcome_;
}

void BellWait::wait_until_over(engine::Deadline until) const {
  base::MutexLock lock(mutex_);
  while (!over_) {
    const auto left = base::time_left(until);
    if (left == 0ns) return;
    changed_.wait_for(lock, left);
  }
}

bool BellWait::stop(engine::Deadline until) {
  base::MutexLock lock(mutex_);
  stopped_ = true;
  if (blocked_ != nullptr) blocked_->cut();
  while (!over_) {
    const auto left = base::time_left(until, 1s);
    if (left == 0ns) return false;
    changed_.wait_for(lock, left);
  }
  return true;
}

bool BellWait::block(const std::shared_ptr<Connection>& connection) {
  base::MutexLock lock(mutex_);
  if (stopped_) return false;
  blocked_ = connection;
  return true;
}

bool BellWait::unblock() {
  base::MutexLock lock(mutex_);
  blocked_.reset();
  return !stopped_;
}

void BellWait::finish(Outcome outcome) {
  {
    base::MutexLock lock(mutex_);
    outcome_ = std::move(outcome);
    blocked_.reset();
    over_ = true;
    changed_.notify_all();
  }
  waker_->ring();
}

BellThreads::~BellThreads() {
  std::vector<std::shared_ptr<BellWait>> active;
  {
    base::MutexLock lock(mutex_);
    active = active_;
  }
  for (const auto& each : active) (void)each->stop(Clock::now());
  threads_.stop();
}

std::shared_ptr<BellWait> BellThreads::start(const engine::Waker& waker,
                                             const std::string& bell, After after,
                                             const Job& job) {
  auto wait = std::make_shared<BellWait>(waker);
  const auto run = [=, this] {
    try {
      wait->finish(serve(*wait, bell, after, job));
    } catch (const std::exception&) {  // There is no memory for a connection.
      wait->finish({.state = BellWait::State::failed});
    }
    base::MutexLock lock(mutex_);
    std::erase(active_, wait);
  };
  base::MutexLock lock(mutex_);
  if (active_.size() >= kMost) return nullptr;
  active_.reserve(kMost);  // Nothing may fail once a thread waits for the claim.
  if (!threads_.post(run)) return nullptr;
  active_.push_back(wait);
  return wait;
}

// Without memory the connection is cut, which also releases the bell. A claim may have
// been granted by then.
BellWait::Outcome BellThreads::serve(BellWait& wait, std::string_view bell, After after,
                                     const Job& job) {
  auto connection = pool_.lend_to_block(Clock::now() + 5s);
  if (!connection) return {.state = BellWait::State::failed};
  auto state_if_cut = BellWait::State::failed;
  try {
    const WaitResult result = wait_for(wait, *connection, bell, after);
    if (result == WaitResult::failed) return {.state = BellWait::State::failed};
    if (result == WaitResult::stopped) return {};
    state_if_cut = BellWait::State::in_doubt;
    return job(*connection, result == WaitResult::free_at_once);
  } catch (const std::exception&) {
    (*connection)->cut();
    return {.state = state_if_cut};
  }
}

BellThreads::WaitResult BellThreads::wait_for(BellWait& wait, Pool::Lent& connection,
                                              std::string_view bell, After after) {
  constexpr auto kLongestCall = 60s;
  constexpr auto kGrace = 5s;  // for the answer
  constexpr std::int64_t kSeconds = std::chrono::seconds(kLongestCall).count();
  const bool keeps = after == After::keep;
  for (;;) {
    Args args;
    if (keeps) {
      args << bell << bell << kSeconds;
    } else {
      args << bell << kSeconds << bell;
    }
    if (!wait.block(connection.share())) return WaitResult::stopped;
    const auto answer =
        connection->run(keeps ? sql::kTakeOrWaitForBell : sql::kWaitAndPassOn, args,
                        Clock::now() + kLongestCall + kGrace);
    if (!wait.unblock()) {
      connection->cut();
      return WaitResult::stopped;
    }
    if (!answer) return WaitResult::failed;
    const Cell& got = answer->rows.at(0).at(0);
    if (got.null) return WaitResult::failed;  // GET_LOCK was killed
    if (got.number == 2) return WaitResult::free_at_once;
    if (got.number == 1) return WaitResult::rung;
  }
}

}  // namespace holdfast::mysql
