// SPDX-License-Identifier: Apache-2.0

// Players take random sets of four locks, named in random order: all of a set or none.

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "conformance/models/model.h"

namespace holdfast::test {
namespace {

class MultiLockModel : public Model {
 public:
  Step next(Dice& dice) override {
    const std::size_t who = dice.below(kPlayers);
    switch (dice.below(4)) {
      case 0:
        return {who, "valid", ok(holds(who))};
      case 1:
        if (!holds(who)) break;
        let_go(who);
        return {who, "release", ok()};
    }
    const auto wanted = some_locks(dice);
    std::string command = "try";
    for (const std::size_t lock : wanted) command += " " + spelt(lock);
    const bool is_free = std::ranges::none_of(
        wanted, [&](std::size_t lock) { return owners_[lock].has_value(); });
    if (is_free) {
      let_go(who);  // A new acquisition replaces what was held.
      for (const std::size_t lock : wanted) owners_[lock] = who;
    }
    return {who, command, ok(is_free)};
  }

  void die(std::size_t who) override { let_go(who); }

  std::size_t granted() const override {
    return static_cast<std::size_t>(
        std::ranges::count_if(owners_, [](Owner owner) { return owner.has_value(); }));
  }

 private:
  using Owner = std::optional<std::size_t>;
  static constexpr std::size_t kLocks = 4;

  static std::vector<std::size_t> some_locks(Dice& dice) {
    std::vector<std::size_t> all{0, 1, 2, 3};
    dice.shuffle(all);
    all.resize(1 + dice.below(all.size()));
    return all;
  }

  bool holds(std::size_t who) const {
    return std::ranges::find(owners_, Owner(who)) != owners_.end();
  }
  void let_go(std::size_t who) { std::ranges::replace(owners_, Owner(who), Owner()); }

  std::array<Owner, kLocks> owners_{};
};

}  // namespace

ModelPtr multi_lock_model(const engine::Traits&) {
  return std::make_unique<MultiLockModel>();
}

}  // namespace holdfast::test
