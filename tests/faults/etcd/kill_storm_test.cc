// Processes that are killed while they hold or wait.

#include <gtest/gtest.h>

#include <iostream>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "faults/etcd/ground.h"
#include "support/journal.h"
#include "support/temp_dir.h"
#include "support/victim.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

using EtcdKills = OnEtcd;

TEST_F(EtcdKills, KilledProcessesLoseNothing) {
  constexpr std::size_t kVictims = 4;
  const auto span = scaled(9s);
  const auto ttl = scaled(2s);
  const TempDir dir;
  const std::string file = dir.file("journal");
  const std::string url = server_.url(kPrefix);
  const auto seed = std::random_device{}();
  std::cout << "seed " << seed << '\n';
  std::mt19937 random(seed);
  std::vector<std::unique_ptr<Victim>> victims(kVictims);
  const auto start = [&](std::unique_ptr<Victim>& victim) {
    victim = std::make_unique<Victim>(url, ttl);
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
  EXPECT_TRUE(has_keys("a", 0));
}

}  // namespace
}  // namespace holdfast::test
