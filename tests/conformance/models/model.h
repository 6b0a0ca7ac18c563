// SPDX-License-Identifier: Apache-2.0

// tests/conformance/models/model.h - a primitive's behaviour, in plain memory.
//
// A model chooses which player does what next and predicts the outcome, and changes its
// own state accordingly. models_test.cc lets processes do it and compares.

#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "conformance/models/dice.h"
#include "holdfast/engine/session.h"
#include "holdfast/result.h"

namespace holdfast::test {

inline constexpr std::size_t kPlayers = 4;
inline constexpr int kSeed = 7;  // for a shared count

struct Step {
  std::size_t who;
  std::string command;   // as in support/victim_primitives.h
  std::string expected;  // the answer, or its beginning
};

// Answers are spelt "ok yes 3" or "error 11".
inline std::string spelt(const std::string& word) { return word; }
inline std::string spelt(bool yes) { return yes ? "yes" : "no"; }
std::string spelt(std::integral auto number) { return std::to_string(number); }
template <class... Words>
std::string ok(const Words&... words) {
  std::string line = "ok";
  ((line += " " + spelt(words)), ...);
  return line;
}
std::string error(Errc why);

class Model {
 public:
  virtual ~Model() = default;
  virtual Step next(Dice& dice) = 0;

  // `more` is what an answer had beyond the expected text: numbers that only the engine
  // knows.
  virtual void learn(const Step& step, const std::string& more);

  // This player is replaced by a new one, and everything that it held is gone.
  virtual void die(std::size_t) {}

  // Returns how many granted claims an observer sees.
  virtual std::size_t granted() const { return 0; }
};

// Tokens grow from hold to hold, and do not change within one. The token of a shared
// hold is not below that of the last exclusive one.
class TokenRule {
 public:
  explicit TokenRule(bool fences) : fences_(fences) {}
  void new_hold() { present_.reset(); }
  void see(const std::string& token);
  void see_shared(const std::string& token);

 private:
  const bool fences_;
  std::optional<std::uint64_t> present_;
  std::uint64_t exclusive_ = 0;  // the last one seen
  std::uint64_t highest_ = 0;    // the highest of all
};

using ModelPtr = std::unique_ptr<Model>;

ModelPtr mutex_model(const engine::Traits& traits);
ModelPtr recursive_mutex_model(const engine::Traits& traits);
ModelPtr shared_mutex_model(const engine::Traits& traits);
ModelPtr semaphore_model(const engine::Traits& traits);
ModelPtr election_model(const engine::Traits& traits);
ModelPtr multi_lock_model(const engine::Traits& traits);
ModelPtr latch_model(const engine::Traits& traits);
ModelPtr barrier_model(const engine::Traits& traits);
ModelPtr counter_model(const engine::Traits& traits);
ModelPtr shared_count_model(const engine::Traits& traits);

}  // namespace holdfast::test
