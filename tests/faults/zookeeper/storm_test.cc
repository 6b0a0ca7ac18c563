// Locks under a line that fails at random, under sessions that end, and under
// processes that are killed.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <iostream>
#include <memory>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "faults/zookeeper/ground.h"
#include "support/eventually.h"
#include "support/journal.h"
#include "support/temp_dir.h"
#include "support/victim.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

std::mt19937 seeded() {
  const auto seed = std::random_device{}();
  std::cout << "seed " << seed << '\n';
  return std::mt19937(seed);
}

// Who came in last. Whoever goes with a hold that is still valid came in last.
class House {
 public:
  void enter(const Hold& hold) {
    const std::lock_guard lock(mutex_);
    last_ = std::max(last_, hold.token());
    ++grants_;
  }
  void leave(const Hold& hold) {
    const std::lock_guard lock(mutex_);
    if (hold.valid()) {
      EXPECT_EQ(last_, hold.token()) << "two were in";
    }
  }
  int grants() const {
    const std::lock_guard lock(mutex_);
    return grants_;
  }

 private:
  mutable std::mutex mutex_;
  FencingToken last_;
  int grants_ = 0;
};

class ZookeeperStorm : public OnZookeeper {
 protected:
  // A short session: some end, and after a cut the library waits for a sixtieth of it.
  const std::chrono::milliseconds ttl_ = scaled(1s);

  void fail(std::mt19937& random) {
    switch (random() % 7) {
      case 0:
        return line_.cut_all();
      case 1:
        return line_.lose_replies(1 + static_cast<int>(random() % 3));
      case 2:
        return line_.lose_requests(1 + static_cast<int>(random() % 3));
      case 3:
        return line_.freeze_present();
      case 4:
        line_.unreachable(true);
        std::this_thread::sleep_for(ttl_ * (random() % 3) / 2);
        return line_.unreachable(false);
      default:
        return line_.thaw();
    }
  }
};

TEST_F(ZookeeperStorm, AMutexHasOneHolder) {
  House house;
  std::atomic<bool> over{false};
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    const Client client = i == 0 ? open_directly(ttl_) : open(ttl_);
    for (int j = 0; j < 2; ++j) {
      threads.emplace_back([&, client] {
        Mutex mutex(client, "a");
        while (!over) {
          const auto hold = mutex.acquire({.wait = ttl_});
          if (!hold) continue;
          house.enter(*hold);
          std::this_thread::sleep_for(1ms);
          house.leave(*hold);
        }
      });
    }
  }
  std::mt19937 random = seeded();
  const auto end = Clock::now() + scaled(8s);
  while (Clock::now() < end) {
    fail(random);
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % 50));
  }
  line_.thaw();
  const int before = house.grants();
  EXPECT_TRUE(eventually([&] { return house.grants() > before + 100; }))
      << "hardly anybody gets in any more";
  over = true;
  threads.clear();
  EXPECT_TRUE(has_nodes("a", 0));
}

TEST_F(ZookeeperStorm, KilledProcessesLoseNothing) {
  constexpr std::size_t kVictims = 4;
  const auto span = scaled(6s);
  const TempDir dir;
  const std::string file = dir.file("journal");
  const std::string url = "zookeeper://127.0.0.1:" + std::to_string(port_) + root_;
  std::mt19937 random = seeded();
  std::vector<std::unique_ptr<Victim>> victims(kVictims);
  const auto start = [&](std::unique_ptr<Victim>& victim) {
    victim = std::make_unique<Victim>(url, ttl_);
    victim->tell("storm " + file + " " + std::to_string(span.count()) + " a");
  };
  for (auto& each : victims) start(each);
  int killed = 0;
  for (const auto end = Clock::now() + span; Clock::now() < end; ++killed) {
    std::this_thread::sleep_for(scaled(std::chrono::milliseconds(random() % 600)));
    auto& unlucky = victims[random() % kVictims];
    unlucky->kill();
    start(unlucky);
  }
  for (auto& each : victims) {
    const std::string answer = each->answer(span + patience());
    EXPECT_TRUE(answer.starts_with("ok ")) << '"' << answer << '"';
  }
  const auto audit = Journal(file).audit();
  EXPECT_EQ(audit.fault, "");
  EXPECT_GT(audit.records, 50u);
  EXPECT_GT(killed, 5);
  std::cout << audit.records << " records, " << killed << " killed\n";
  victims.clear();
  EXPECT_TRUE(has_nodes("a", 0));
}

}  // namespace
}  // namespace holdfast::test
