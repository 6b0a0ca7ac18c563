// SPDX-License-Identifier: Apache-2.0

#include <optional>

#include "conformance/models/model.h"

namespace holdfast::test {
namespace {

class RecursiveMutexModel : public Model {
 public:
  explicit RecursiveMutexModel(const engine::Traits& traits) : tokens_(traits.fences) {}

  Step next(Dice& dice) override {
    const std::size_t who =
        depth_ > 0 && dice.one_in(2) ? holder_ : dice.below(kPlayers);
    const bool holds = depth_ > 0 && holder_ == who;
    switch (dice.below(5)) {
      case 0:
        return {who, "depth", ok(holds ? depth_ : 0)};
      case 1:
        return {who, "valid", ok(holds)};
      case 2:
        if (!holds) return {who, "release", error(Errc::not_owner)};
        --depth_;
        return {who, "release", ok()};
      case 3:
        return {who, "token", holds ? ok() : ok(0)};
    }
    if (depth_ > 0 && !holds) return {who, "try", ok(false)};
    if (depth_ == 0) tokens_.new_hold();
    holder_ = who;
    ++depth_;
    return {who, "try", ok(true)};
  }

  void learn(const Step& step, const std::string& more) override {
    if (step.command != "token" || step.expected != ok())
      return Model::learn(step, more);
    tokens_.see(more);
  }

  void die(std::size_t who) override {
    if (holder_ == who) depth_ = 0;
  }

  std::size_t granted() const override { return depth_ > 0 ? 1 : 0; }

 private:
  TokenRule tokens_;
  std::size_t holder_ = 0;
  std::size_t depth_ = 0;
};

}  // namespace

ModelPtr recursive_mutex_model(const engine::Traits& traits) {
  return std::make_unique<RecursiveMutexModel>(traits);
}

}  // namespace holdfast::test
