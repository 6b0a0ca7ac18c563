// SPDX-License-Identifier: Apache-2.0

#include "faults/kill_storm.h"

#include <gtest/gtest.h>

#include <iostream>
#include <memory>
#include <thread>
#include <vector>

#include "faults/ground.h"
#include "support/journal.h"
#include "support/temp_dir.h"
#include "support/victim.h"

namespace holdfast::test {

using namespace std::chrono_literals;

void killed_processes_lose_nothing(const std::string& url,
                                   std::chrono::milliseconds ttl) {
  constexpr std::size_t kVictims = 4;
  const auto span = scaled(9s);
  const TempDir dir;
  const std::string file = dir.file("journal");
  std::mt19937 random = seeded();
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
}

}  // namespace holdfast::test
