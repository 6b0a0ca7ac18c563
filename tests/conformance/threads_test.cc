// SPDX-License-Identifier: Apache-2.0

// Many threads of one process lock at once.

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

#include "conformance/conformance.h"
#include "holdfast/mutex.h"

namespace holdfast::test {
namespace {

class Threads : public Conformance {};
HOLDFAST_CONFORMANCE(Threads);

// The number is plain, so that a sanitizer sees whether one holder's writes reach the
// next.
TEST_P(Threads, OfOneClientLoseNothing) {
  const Client client = open();
  const std::string shared = name("a");
  long number = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&] {
        Mutex mutex(client, shared);
        for (int j = 0; j < 200; ++j) {
          std::scoped_lock guard(mutex);
          ++number;
        }
      });
    }
  }
  EXPECT_EQ(number, 8 * 200);
}

TEST_P(Threads, OnOneObjectLoseNothing) {
  Mutex mutex(open(), name("a"));
  long number = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&] {
        for (int j = 0; j < 200; ++j) {
          std::scoped_lock guard(mutex);
          ++number;
        }
      });
    }
  }
  EXPECT_EQ(number, 8 * 200);
}

// Each client may map the engine's memory at another address, so that a sanitizer sees
// no order between them. The number is therefore an atomic, read and written in two
// steps.
TEST_P(Threads, OfManyClientsLoseNothing) {
  const std::string shared = name("a");
  std::atomic<long> number{0};
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      const Client client = open();
      for (int k = 0; k < 2; ++k) {
        threads.emplace_back([&, client] {
          Mutex mutex(client, shared);
          for (int j = 0; j < 100; ++j) {
            std::scoped_lock guard(mutex);
            number.store(number.load() + 1);
          }
        });
      }
    }
  }
  EXPECT_EQ(number.load(), 4 * 2 * 100);
}

// A lock that is handed from thread to thread inside a process must also leave that
// process.
TEST_P(Threads, OfOneClientDoNotStarveAnother) {
  const Client client = open();
  const std::string shared = name("a");
  std::atomic<bool> done{false};
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      Mutex mutex(client, shared);
      while (!done) std::scoped_lock guard(mutex);
    });
  }
  Mutex other(open(), shared);
  for (int i = 0; i < 5; ++i) {
    const auto hold = other.acquire({.wait = patience()});
    EXPECT_TRUE(hold) << hold.error().message();
  }
  done = true;
}

// Only one thread knows each name, so no thread waits for another.
TEST_P(Threads, ComeAndGoOverManyNames) {
  const Client client = open();
  std::vector<std::jthread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      for (int j = 0; j < 100; ++j) {
        Mutex mutex(client, name(std::to_string(i) + "-" + std::to_string(j)));
        // A slow server may need the time.
        const auto hold = mutex.acquire({.wait = patience()});
        EXPECT_TRUE(hold) << hold.error().message();
      }
    });
  }
}

}  // namespace
}  // namespace holdfast::test
