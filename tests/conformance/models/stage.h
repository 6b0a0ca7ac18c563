// SPDX-License-Identifier: Apache-2.0

// tests/conformance/models/stage.h - four processes that share one primitive.

#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "conformance/engine_under_test.h"
#include "conformance/models/model.h"
#include "holdfast/client.h"
#include "support/victim.h"

namespace holdfast::test {

class Stage {
 public:
  // `use` is what follows that command in support/victim_primitives.h. `addresses` are
  // those of the primitive, for the observer.
  Stage(EngineUnderTest& engine, std::string use,
        const std::vector<engine::Address>& addresses);

  Victim& player(std::size_t who) { return *players_[who]; }

  // Kills the process with SIGKILL; a new process takes its place.
  void replace(std::size_t who);

  // This is what an observer sees.
  struct View {
    std::size_t granted = 0;
    std::size_t waiting = 0;
  };
  View look() const;

  // Waits until the view is this, as long as a death may take to be noticed.
  testing::AssertionResult shows(std::size_t granted,
                                 std::optional<std::size_t> waiting = {}) const;

  engine::Traits traits() const;

 private:
  std::unique_ptr<Victim> start() const;

  EngineUnderTest& engine_;
  const std::string use_;
  const Client observer_;
  std::vector<std::shared_ptr<engine::Resource>> resources_;
  engine::Kind kind_;
  std::vector<std::unique_ptr<Victim>> players_;
};

}  // namespace holdfast::test
