// SPDX-License-Identifier: Apache-2.0

#include <cstdint>
#include <limits>
#include <utility>

#include "conformance/models/model.h"

namespace holdfast::test {
namespace {

class CounterModel : public Model {
 public:
  Step next(Dice& dice) override {
    const std::size_t who = dice.below(kPlayers);
    const std::int64_t number = some_number(dice);
    switch (dice.below(6)) {
      case 0:
        return {who, "get", ok(now_)};
      case 1:
        return {who, "add " + spelt(number), sum(now_, number)};
      case 2:
        return {who, "subtract " + spelt(number), difference(now_, number)};
      case 3:
        return {who, "exchange " + spelt(number), to(number)};
      case 4: {
        const std::int64_t expected = dice.one_in(2) ? now_ : some_number(dice);
        const std::string command = "compare_exchange " + spelt(expected) + " ";
        return {who, command + spelt(number), expected == now_ ? to(number) : left()};
      }
      default: {
        const std::int64_t by = dice.between(0, 9);
        const std::int64_t limit = dice.between(-100, 100);
        const std::string command = "update " + spelt(by) + " " + spelt(limit);
        return {who, command, now_ <= limit - by ? to(now_ + by) : left()};
      }
    }
  }

 private:
  using Limits = std::numeric_limits<std::int64_t>;

  // Returns mostly small numbers, and now and then one at the limit.
  static std::int64_t some_number(Dice& dice) {
    if (dice.one_in(20)) return Limits::max() - dice.between(0, 2);
    if (dice.one_in(20)) return Limits::min() + dice.between(0, 2);
    return dice.between(-50, 50);
  }

  std::string to(std::int64_t after) {
    const std::int64_t before = std::exchange(now_, after);
    return ok(true, before, after, 1);
  }
  std::string left() const { return ok(false, now_, now_, 1); }
  std::string sum(std::int64_t a, std::int64_t b) {
    std::int64_t result = 0;
    if (__builtin_add_overflow(a, b, &result)) return error(Errc::bad_argument);
    return to(result);
  }
  std::string difference(std::int64_t a, std::int64_t b) {
    std::int64_t result = 0;
    const bool negatable = b != Limits::min();
    if (!negatable || __builtin_sub_overflow(a, b, &result)) {
      return error(Errc::bad_argument);
    }
    return to(result);
  }

  std::int64_t now_ = 0;
};

}  // namespace

ModelPtr counter_model(const engine::Traits&) {
  return std::make_unique<CounterModel>();
}

}  // namespace holdfast::test
