// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <numeric>

#include "conformance/models/model.h"

namespace holdfast::test {
namespace {

// A player that takes again gives back what it had: support/victim_primitives.h
// explains it.
class SemaphoreModel : public Model {
 public:
  Step next(Dice& dice) override {
    const std::size_t who = dice.below(kPlayers);
    std::int64_t& mine = held_[who];
    if (mine > 0 && dice.one_in(2)) return with_permits(who, dice);
    switch (dice.below(6)) {
      case 0:
        return {who, "get", ok(capacity_)};
      case 1:
        return {who, "available", ok(std::max<std::int64_t>(capacity_ - taken(), 0))};
      case 2: {
        const auto capacity = dice.between(1, 6);
        const bool first = capacity_ == 0;
        if (first) capacity_ = capacity;
        const std::string command = "init " + spelt(capacity);
        if (capacity != capacity_) return {who, command, error(Errc::bad_argument)};
        return {who, command, ok(first)};
      }
      case 3:
        capacity_ = dice.between(1, 6);
        return {who, "set " + spelt(capacity_), ok()};
      default: {
        const auto wanted = dice.between(0, capacity_ + 1);
        const std::string command = "try " + spelt(wanted);
        if (wanted == 0 || wanted > capacity_) {
          return {who, command, error(Errc::bad_argument)};
        }
        const bool fits = taken() + wanted <= capacity_;
        if (fits) mine = wanted;
        return {who, command, ok(fits)};
      }
    }
  }

  void die(std::size_t who) override { held_[who] = 0; }

  std::size_t granted() const override {
    return kPlayers - static_cast<std::size_t>(std::ranges::count(held_, 0));
  }

 private:
  Step with_permits(std::size_t who, Dice& dice) {
    std::int64_t& mine = held_[who];
    switch (dice.below(4)) {
      case 0:
        return {who, "count", ok(mine)};
      case 1:
        return {who, "valid", ok(true)};
      case 2: {
        const auto given = dice.between(1, mine + 1);
        const std::string command = "give " + spelt(given);
        if (given > mine) return {who, command, error(Errc::bad_argument)};
        mine -= given;
        return {who, command, ok()};
      }
      default:
        mine = 0;
        return {who, "release", ok()};
    }
  }

  std::int64_t taken() const {
    return std::accumulate(held_.begin(), held_.end(), std::int64_t{0});
  }

  std::int64_t capacity_ = 0;
  std::array<std::int64_t, kPlayers> held_{};
};

}  // namespace

ModelPtr semaphore_model(const engine::Traits&) {
  return std::make_unique<SemaphoreModel>();
}

}  // namespace holdfast::test
