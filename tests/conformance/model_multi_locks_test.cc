// SPDX-License-Identifier: Apache-2.0

// Four processes wait for random sets of four locks. No engine promises which one gets
// in first; it promises that the sets never overlap and that one of them always gets
// in.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bitset>
#include <string>
#include <vector>

#include "conformance/conformance.h"
#include "conformance/models/history.h"
#include "conformance/models/stage.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kLocks = 4;
using Locks = std::bitset<kLocks>;

class ModelMultiLocks : public Conformance {
 protected:
  struct Player {
    Locks wanted;
    Locks held;
  };

  std::vector<engine::Address> addresses() const {
    std::vector<engine::Address> all;
    for (std::size_t i = 0; i < kLocks; ++i) {
      all.push_back({engine::Kind::mutex, name(std::to_string(i))});
    }
    return all;
  }

  void ask(std::size_t who) {
    std::vector<std::size_t> order{0, 1, 2, 3};
    dice_.shuffle(order);
    order.resize(1 + dice_.below(kLocks));
    std::string command = "take";
    for (const std::size_t lock : order) {
      players_[who].wanted.set(lock);
      command += " " + std::to_string(lock);
    }
    history_.add(who, command, "...");
    stage_->player(who).tell("do " + command);
  }

  void release(std::size_t who) {
    const std::string answer = stage_->player(who).ask("do release");
    history_.add(who, "release", answer);
    EXPECT_EQ(answer, "ok") << history_;
    players_[who].held.reset();
  }

  void die(std::size_t who) {
    history_.add(who, "dies", "");
    stage_->replace(who);
    players_[who] = {};
  }

  // Returns whether one of the waiting processes is in now.
  bool one_gets_in() {
    for (std::size_t who = 0; who < kPlayers; ++who) {
      if (players_[who].wanted.none()) continue;
      const std::string answer = stage_->player(who).answer(1ms);
      if (answer.empty()) continue;
      history_.add(who, "", answer);
      EXPECT_EQ(answer, "ok") << history_;
      EXPECT_TRUE((players_[who].wanted & held()).none()) << "two have it" << history_;
      players_[who] = {.wanted = {}, .held = players_[who].wanted};
      return true;
    }
    return false;
  }

  Locks held() const {
    Locks all;
    for (const Player& each : players_) all |= each.held;
    return all;
  }
  bool one_waits() const {
    return std::ranges::any_of(players_, [](auto& each) { return each.wanted.any(); });
  }

  Dice dice_;
  History history_{dice_.seed()};
  std::unique_ptr<Stage> stage_;
  std::array<Player, kPlayers> players_{};
};

HOLDFAST_CONFORMANCE(ModelMultiLocks);

TEST_P(ModelMultiLocks, NeverOverlapAndAlwaysGoOn) {
  stage_ = std::make_unique<Stage>(engine(), "multi_lock " + name(""), addresses());
  const auto limit = patience() + engine().death_told_within();
  for (int i = steps_to_do(); i > 0 && !HasFailure(); --i) {
    const std::size_t who = dice_.below(kPlayers);
    if (dice_.one_in(100)) {
      die(who);
    } else if (players_[who].held.any()) {
      release(who);
    } else if (players_[who].wanted.none()) {
      ask(who);
    }
    while (one_gets_in()) {
    }
    if (held().none() && one_waits()) {
      EXPECT_TRUE(eventually([&] { return one_gets_in(); }, limit))
          << "no process gets in" << history_;
    }
  }
}

}  // namespace
}  // namespace holdfast::test
