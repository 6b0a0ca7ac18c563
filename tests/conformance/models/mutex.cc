// SPDX-License-Identifier: Apache-2.0

// This is the model of the fair mutex too: the two differ in the queue.

#include <array>
#include <optional>

#include "conformance/models/model.h"

namespace holdfast::test {
namespace {

class MutexModel : public Model {
 public:
  explicit MutexModel(const engine::Traits& traits) : tokens_(traits.fences) {}

  Step next(Dice& dice) override {
    const std::size_t who = holder_ && dice.one_in(2) ? *holder_ : dice.below(kPlayers);
    const bool holds = holder_ == who;
    switch (dice.below(4)) {
      case 0:
        return {who, "valid", ok(holds)};
      case 1:
        if (!has_held_[who]) break;
        if (holds) holder_.reset();
        return {who, "release", ok()};  // A second release does nothing.
      case 2:
        if (!holds) break;
        return {who, "token", ok()};
    }
    if (holder_) return {who, "try", ok(false)};  // The holder is refused too.
    holder_ = who;
    has_held_[who] = true;
    tokens_.new_hold();
    return {who, "try", ok(true)};
  }

  void learn(const Step& step, const std::string& more) override {
    if (step.command != "token") return Model::learn(step, more);
    tokens_.see(more);
  }

  void die(std::size_t who) override {
    if (holder_ == who) holder_.reset();
    has_held_[who] = false;
  }

  std::size_t granted() const override { return holder_ ? 1 : 0; }

 private:
  TokenRule tokens_;
  std::optional<std::size_t> holder_;
  std::array<bool, kPlayers> has_held_{};
};

}  // namespace

ModelPtr mutex_model(const engine::Traits& traits) {
  return std::make_unique<MutexModel>(traits);
}

}  // namespace holdfast::test
