// Many at once, inside one process.

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

// A plain number: a sanitizer then sees whether one holder's writes reach the next.
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

// Each client may map the engine's memory elsewhere, so that a sanitizer sees no order
// between them: hence an atomic, read and written in two steps.
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

// What is handed from thread to thread inside a process must come out of it again.
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

// Names of which only one thread knows: nobody waits for anybody.
TEST_P(Threads, ComeAndGoOverManyNames) {
  const Client client = open();
  std::vector<std::jthread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      for (int j = 0; j < 100; ++j) {
        Mutex mutex(client, name(std::to_string(i) + "-" + std::to_string(j)));
        const auto hold = mutex.acquire({.wait = patience()});  // of a slow server
        EXPECT_TRUE(hold) << hold.error().message();
      }
    });
  }
}

}  // namespace
}  // namespace holdfast::test
