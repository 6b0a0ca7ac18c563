// tests/conformance/models/model.h - what a primitive is, in plain memory.
//
// A model says who does what next and what must come of it; with that it has happened
// in the model, too. models_test.cc has it done by processes and compares.

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
inline constexpr int kSeed = 7;  // of a shared count

struct Step {
  std::size_t who;
  std::string command;   // as in support/victim_primitives.h
  std::string expected;  // the answer, or the beginning of it
};

// How answers are spelt: "ok yes 3", "error 11".
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

  // What an answer had more than was expected: numbers that only the engine knows.
  virtual void learn(const Step& step, const std::string& more);

  // This player is replaced by a new one, and all that it held is gone.
  virtual void die(std::size_t) {}

  // How many granted claims an observer sees.
  virtual std::size_t granted() const { return 0; }
};

// Tokens grow from hold to hold, and stay within one. That of a shared hold is not
// below the last exclusive one.
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
  std::uint64_t highest_ = 0;    // of all
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
