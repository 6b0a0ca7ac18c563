// tests/faults/ground.h - what the tests of a broken engine have in common.

#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "holdfast/client.h"
#include "holdfast/mutex.h"
#include "support/scale.h"

namespace holdfast::test {

// A client that keeps its warnings to itself: trouble is expected here.
Client open_quietly(const std::string& url,
                    std::chrono::milliseconds ttl = scaled(std::chrono::seconds(30)));

// What a user meets who opens `url` and locks one name: the first thing that fails.
// Throws std::logic_error when nothing does.
Failure first_failure(const std::string& url);

// The same. It comes in good time, and is one sentence that says `what`.
Failure clear_failure(const std::string& url, const std::string& what);

// It says with what, so that a failure can be repeated.
std::mt19937 seeded();

// Whether a message is one line that says something.
bool is_one_sentence(const std::string& message);

// Waits for the lock in a thread of its own: when it got in, and with which token.
struct Entered {
  Clock::time_point at = Clock::time_point::max();
  FencingToken token;
  std::string why_not;
};
std::future<Entered> wait_for(Mutex& mutex);

// Whether it is not over yet after some time.
bool still_waits(const std::future<Entered>& entered);

// The one waits as long as the other holds, and is in at once after that.
void expect_wake_up(
    Mutex& holder, Mutex& waiter, const std::function<void()>& meanwhile = [] {});

// Locks all of them; nobody else gets any then.
std::vector<Hold> lock_apart(const Client& client, const Client& other,
                             const std::vector<std::string>& names);

// Whether the loss of a hold that is renewed every second is told by the next renewal.
testing::AssertionResult told_soon(const Hold& hold);

// Clients that lock one name in turn, for as long as it is there: never two at once.
class Sale {
 public:
  explicit Sale(const std::function<Client()>& open);
  bool goes_on() const;  // there are more grants than before, in good time

 private:
  std::atomic<int> inside_{0};
  std::atomic<int> grants_{0};
  std::vector<std::jthread> threads_;
};

}  // namespace holdfast::test
