// SPDX-License-Identifier: Apache-2.0

// Four processes do random operations, each of which is compared with a model in plain
// memory.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "conformance/conformance.h"
#include "conformance/models/history.h"
#include "conformance/models/model.h"
#include "conformance/models/stage.h"
#include "support/scale.h"

namespace holdfast::test {
namespace {

using engine::Kind;

class Models : public Conformance {
 protected:
  using MakeModel = ModelPtr (*)(const engine::Traits&);

  void play(const std::string& form, Kind kind, MakeModel make, unsigned number = 0) {
    const std::string use = form + " " + name("a") + " " + std::to_string(number);
    play(use, {{kind, name("a")}}, make);
  }

  void play(const std::string& use, const std::vector<engine::Address>& addresses,
            MakeModel make) {
    Stage stage(engine(), use, addresses);
    if (!stage.traits().supported) return is_refused(stage, addresses.front().kind);
    const ModelPtr model = make(stage.traits());
    Dice dice;
    History history(dice.seed());
    const int steps = steps_to_do();
    for (int i = 0; i < steps && !HasFailure(); ++i) {
      if (dice.one_in(kStepsToADeath)) {
        const std::size_t who = dice.below(kPlayers);
        history.add(who, "dies", "");
        stage.replace(who);
        model->die(who);
        ASSERT_TRUE(stage.shows(model->granted())) << history;
      }
      const Step step = model->next(dice);
      const std::string answer = stage.player(step.who).ask("do " + step.command);
      history.add(step.who, step.command, answer);
      ASSERT_TRUE(begins_with(answer, step.expected))
          << "expected: " << step.expected << history;
      const std::size_t known = std::min(answer.size(), step.expected.size() + 1);
      model->learn(step, answer.substr(known));
      EXPECT_TRUE(stage.shows(model->granted())) << history;
    }
    if (HasFailure()) ADD_FAILURE() << history;
  }

 private:
  static constexpr std::size_t kStepsToADeath = 60;

  static bool begins_with(const std::string& answer, const std::string& expected) {
    return answer == expected || answer.starts_with(expected + " ");
  }

  static void is_refused(Stage& stage, Kind kind) {
    const bool claimed = kind < Kind::latch;
    const std::string answer = stage.player(0).ask(claimed ? "do try" : "do get");
    EXPECT_TRUE(is_error(answer, Errc::unsupported)) << answer;
  }
};

HOLDFAST_CONFORMANCE(Models);

TEST_P(Models, OfAMutex) { play("mutex", Kind::mutex, mutex_model); }

TEST_P(Models, OfAFairMutex) { play("fair_mutex", Kind::fair_mutex, mutex_model); }

TEST_P(Models, OfARecursiveMutex) {
  play("recursive_mutex", Kind::mutex, recursive_mutex_model);
}

TEST_P(Models, OfASharedMutex) {
  play("shared_mutex", Kind::shared_mutex, shared_mutex_model);
}

TEST_P(Models, OfASemaphore) { play("semaphore", Kind::semaphore, semaphore_model); }

TEST_P(Models, OfAnElection) { play("election", Kind::election, election_model); }

TEST_P(Models, OfAMultiLock) {
  std::vector<engine::Address> locks;
  for (const char* each : {"0", "1", "2", "3"}) {
    locks.push_back({Kind::mutex, name(each)});
  }
  play("multi_lock " + name("") + " 4", locks, multi_lock_model);
}

TEST_P(Models, OfALatch) { play("latch", Kind::latch, latch_model); }

TEST_P(Models, OfABarrier) { play("barrier", Kind::barrier, barrier_model); }

TEST_P(Models, OfACounter) { play("counter", Kind::counter, counter_model); }

TEST_P(Models, OfASharedCount) {
  play("shared_count", Kind::shared_count, shared_count_model, kSeed);
}

}  // namespace
}  // namespace holdfast::test
