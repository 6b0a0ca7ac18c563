// SPDX-License-Identifier: Apache-2.0

// tests/conformance/models/crowd.h - four processes that wait, and a model of the
// queue.

#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <set>
#include <string>

#include "conformance/models/dice.h"
#include "conformance/models/history.h"
#include "conformance/models/queue.h"
#include "conformance/models/stage.h"

namespace holdfast::test {

struct Form {
  std::string name;  // as in support/victim_primitives.h
  engine::Kind kind;
  std::uint32_t number = 0;  // permits or parties
};

class Crowd {
 public:
  Crowd(EngineUnderTest& engine, const Form& form, const std::string& name);

  bool supported() const { return stage_.traits().supported; }

  // Lets one player do something. Waits until every player is in whose turn it is then,
  // and until an observer sees it.
  void step();

 private:
  void take(std::size_t who);
  void try_it(std::size_t who);
  void leave(std::size_t who);
  void leave_again(std::size_t who);
  void downgrade(std::size_t who);
  void resize(std::size_t who);
  void die(std::size_t who);

  Request some_request(std::size_t who);
  void expect(std::size_t who, const std::string& command, const std::string& expected);
  void let_in();
  testing::AssertionResult shows_the_queue() const;

  const Form form_;
  const std::chrono::milliseconds patience_;
  const std::size_t steps_to_a_death_;  // Deaths are rarer where each one takes long.
  Stage stage_;
  const bool ordered_;
  const bool parties_;  // The form is a double barrier.
  Queue queue_;
  std::set<std::size_t> leaving_;  // the parties that left before the others
  Dice dice_;
  History history_;
};

}  // namespace holdfast::test
