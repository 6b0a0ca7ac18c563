// SPDX-License-Identifier: Apache-2.0

// Sixteen processes write under one lock while some of them are killed at random.

#include <gtest/gtest.h>

#include <iostream>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "holdfast/client.h"
#include "holdfast/mutex.h"
#include "support/eventually.h"
#include "support/journal.h"
#include "support/temp_dir.h"
#include "support/victim.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

TEST(KillStorm, LosesNothing) {
  constexpr std::size_t kVictims = 16;
  const auto span = scaled(4s);
  const TempDir dir;
  const std::string url = "local://" + dir.file("segment");
  const std::string file = dir.file("journal");
  const auto seed = std::random_device{}();
  std::cout << "seed " << seed << '\n';
  std::mt19937 random(seed);

  std::vector<std::unique_ptr<Victim>> victims(kVictims);
  const auto start = [&](std::unique_ptr<Victim>& victim) {
    victim = std::make_unique<Victim>(url);
    victim->tell("storm " + file + " " + std::to_string(span.count()) + " storm");
  };
  for (auto& each : victims) start(each);

  std::uint64_t killed = 0;
  std::uniform_int_distribution<std::size_t> which(0, kVictims - 1);
  std::uniform_int_distribution<int> pause(0, 10);
  for (const auto end = Clock::now() + span; Clock::now() < end; ++killed) {
    std::this_thread::sleep_for(std::chrono::milliseconds(pause(random)));
    auto& unlucky = victims[which(random)];
    unlucky->kill();
    start(unlucky);
  }

  std::uint64_t told = 0;
  for (auto& each : victims) {
    const std::string answer = each->answer(span + patience());
    ASSERT_TRUE(answer.starts_with("ok ")) << '"' << answer << '"';
    told += std::stoull(answer.substr(3));
  }

  const auto audit = Journal(file).audit();
  EXPECT_EQ(audit.fault, "");
  EXPECT_GE(audit.records, told);
  EXPECT_LE(audit.repaired, killed);
  EXPECT_GT(killed, 10u);
  std::cout << audit.records << " records, " << killed << " killed, " << audit.repaired
            << " of them in the middle of a record\n";

  Mutex mutex(Client::open(url).value(), "storm");
  EXPECT_TRUE(mutex.acquire({.wait = patience()})) << "the lock is stuck";
}

}  // namespace
}  // namespace holdfast::test
