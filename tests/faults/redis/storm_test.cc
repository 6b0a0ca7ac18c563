// SPDX-License-Identifier: Apache-2.0

// Locks under a line that fails at random, with leases that do not end.

#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <thread>
#include <vector>

#include "conformance/claim_lock.h"
#include "faults/redis/ground.h"
#include "holdfast/mutex.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using engine::Kind;

class RedisStorm : public OnRedis {
 protected:
  // Until `grants` more have been made, and for a while in any case.
  void blow(const std::atomic<int>& grants) {
    std::mt19937 random = seeded();
    const int enough = grants + 100;
    const auto least = Clock::now() + scaled(2s);
    const auto most = Clock::now() + patience();
    while ((grants < enough || Clock::now() < least) && Clock::now() < most) {
      fail(random);
      std::this_thread::sleep_for(std::chrono::milliseconds(random() % 30));
    }
    line_.thaw();
    EXPECT_GE(grants, enough) << "hardly any thread got in";
  }

 private:
  void fail(std::mt19937& random) {
    switch (random() % 5) {
      case 0:
        return line_.cut_all();
      case 1:
        return line_.lose_replies(1 + static_cast<int>(random() % 3));
      case 2:
        return line_.lose_requests(1 + static_cast<int>(random() % 3));
      case 3:
        return line_.freeze_present();
      default:
        return line_.thaw();
    }
  }
};

// The lease is 30 s, so that no client loses what it holds.
TEST_F(RedisStorm, AMutexHasOneHolder) {
  std::atomic<bool> over{false};
  std::atomic<int> inside{0};
  std::atomic<int> grants{0};
  std::vector<std::jthread> threads;
  for (int i = 0; i < 3; ++i) {
    const Client client = open();
    for (int j = 0; j < 2; ++j) {
      threads.emplace_back([&, client] {
        Mutex mutex(client, "a");
        while (!over) {
          const auto hold = mutex.acquire({.wait = scaled(1s)});
          if (!hold) continue;
          EXPECT_EQ(++inside, 1);
          ++grants;
          std::this_thread::yield();
          --inside;
        }
      });
    }
  }
  blow(grants);
  over = true;
  threads.clear();
  EXPECT_TRUE(eventually([this] { return left_behind(server_).empty(); }))
      << left_behind(server_);
}

TEST_F(RedisStorm, ClaimsExcludeEachOther) {
  for (const Kind kind : {Kind::fair_mutex, Kind::shared_mutex, Kind::semaphore}) {
    const std::string name = "claims " + std::to_string(static_cast<int>(kind));
    std::atomic<bool> over{false};
    std::atomic<int> inside{0};
    std::atomic<int> grants{0};
    std::vector<std::jthread> threads;
    threads.reserve(3);
    for (int i = 0; i < 3; ++i) {
      threads.emplace_back([&, client = open()] {
        const auto resource = client.session().bind({kind, name}).value();
        const engine::Waker signal = client.session().signal();
        while (!over) {
          const engine::Claim claim{.ticket = next_ticket(), .capacity = 1};
          for (bool in = false; !in && !over;) {
            const auto verdict = resource->attempt(claim, signal, Clock::now() + 200ms);
            in = verdict && std::holds_alternative<engine::Granted>(*verdict);
            if (!in) signal->wait(Clock::now() + 20ms);
            if (!in) continue;
            EXPECT_EQ(++inside, 1);
            ++grants;
            std::this_thread::yield();
            --inside;
          }
          (void)persist([&](auto until) {
            return resource->drop(
                claim, std::min<engine::Deadline>(until, Clock::now() + 500ms));
          });
        }
      });
    }
    blow(grants);
    over = true;
    threads.clear();
    EXPECT_TRUE(eventually([&] { return left_behind(server_, {name}).empty(); }))
        << left_behind(server_, {name});
    if (kind == Kind::semaphore) {
      EXPECT_EQ(server_.command({"GET", name}), "1") << "permits that are free";
    }
  }
}

}  // namespace
}  // namespace holdfast::test
