// SPDX-License-Identifier: Apache-2.0

// tests/faults/ground.h - shared by the tests of engines that fail.

#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <random>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "holdfast/client_options.h"
#include "holdfast/mutex.h"
#include "support/scale.h"
#include "support/wakeup_latency.h"

namespace holdfast::test {

// Opens a client that logs no warnings, because failures are expected here.
Client open_quietly(const std::string& url,
                    std::chrono::milliseconds ttl = scaled(std::chrono::seconds(30)));

// Opens `url`, locks one name and returns the first failure. Throws std::logic_error if
// nothing fails.
Failure first_failure(const std::string& url);

// Returns the same, and expects that it comes in good time and is one sentence that
// contains `what`.
Failure clear_failure(const std::string& url, const std::string& what);

// Returns a random generator and prints its seed, so that a failure can be repeated.
std::mt19937 seeded();

// Returns whether a message is one line and not empty.
bool is_one_sentence(const std::string& message);

// When a thread got the lock, and with which token.
struct Entered {
  Clock::time_point at = Clock::time_point::max();
  FencingToken token;
  std::string why_not;
};

// Waits for the lock in a thread of its own.
std::shared_future<Entered> wait_for(Mutex& mutex);

// Notes when the loss of a hold is told.
class Told {
 public:
  explicit Told(const Hold& hold);

  // Expects that the loss was told by this time. Three threads take part one after the
  // other, and each may be woken as late as this machine wakes threads.
  void expect_by(Clock::time_point time) const;

 private:
  const WakeupLatency latency_;
  std::atomic<Clock::time_point> at_{Clock::time_point::max()};
  const std::stop_callback<std::function<void()>> on_loss_;
};

// Expects that the wait goes on for some time, and says how it ended if it does not.
testing::AssertionResult still_waits(const std::shared_future<Entered>& entered);

// Expects that `waiter` waits as long as `holder` holds, and gets the lock at once
// after that.
void expect_wake_up(
    Mutex& holder, Mutex& waiter, const std::function<void()>& meanwhile = [] {});

// Locks all of them, and expects that `other` gets none.
std::vector<Hold> lock_apart(const Client& client, const Client& other,
                             const std::vector<std::string>& names);

// Expects that the loss of a hold that is renewed every second is told by the next
// renewal.
testing::AssertionResult told_soon(const Hold& hold);

// Clients that lock one name in turn as long as the object lives. It expects that never
// two of them hold it at once.
class Sale {
 public:
  explicit Sale(const std::function<Client()>& open);
  bool goes_on() const;  // waits for more grants than there were

 private:
  std::atomic<int> inside_{0};
  std::atomic<int> grants_{0};
  std::vector<std::jthread> threads_;
};

}  // namespace holdfast::test
