// SPDX-License-Identifier: Apache-2.0

// These are the models of the latch and the barrier.

#include <algorithm>
#include <cstdint>
#include <utility>

#include "conformance/models/model.h"

namespace holdfast::test {
namespace {

class LatchModel : public Model {
 public:
  Step next(Dice& dice) override {
    const std::size_t who = dice.below(kPlayers);
    const auto number = dice.between(1, 5);
    switch (dice.below(4)) {
      case 0: {
        const bool was_open = count_ == 0;
        if (was_open) count_ = number;
        return {who, "set " + spelt(number), ok(was_open)};
      }
      case 1:
        count_ = std::max<std::int64_t>(count_ - number, 0);
        return {who, "down " + spelt(number), ok(count_)};
      case 2:
        return {who, "get", ok(count_)};
      default:
        return {who, "try", ok(count_ == 0)};
    }
  }

 private:
  std::int64_t count_ = 0;
};

class BarrierModel : public Model {
 public:
  Step next(Dice& dice) override {
    const std::size_t who = dice.below(kPlayers);
    switch (dice.below(4)) {
      case 0:
        return {who, "set", ok(!std::exchange(set_, true))};
      case 1:
        return {who, "remove", ok(std::exchange(set_, false))};
      case 2:
        return {who, "get", ok(set_)};
      default:
        return {who, "try", ok(!set_)};
    }
  }

 private:
  bool set_ = false;
};

}  // namespace

ModelPtr latch_model(const engine::Traits&) { return std::make_unique<LatchModel>(); }

ModelPtr barrier_model(const engine::Traits&) {
  return std::make_unique<BarrierModel>();
}

}  // namespace holdfast::test
