// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>

#include "conformance/models/model.h"

namespace holdfast::test {
namespace {

enum class Side { none, shared, exclusive };

class SharedMutexModel : public Model {
 public:
  explicit SharedMutexModel(const engine::Traits& traits)
      : downgrades_(traits.downgrades), tokens_(traits.fences) {}

  Step next(Dice& dice) override {
    const std::size_t who = dice.below(kPlayers);
    Player& player = players_[who];
    if (player.has != Side::none && dice.one_in(2)) return with_hold(who, dice);
    if (dice.one_in(2)) {
      if (!fits(Side::shared)) return {who, "try shared", ok(false)};
      player = {Side::shared, Side::shared};
      return {who, "try shared", ok(true)};
    }
    if (!fits(Side::exclusive)) return {who, "try", ok(false)};
    player = {Side::exclusive, Side::exclusive};
    tokens_.new_hold();
    return {who, "try", ok(true)};
  }

  void learn(const Step& step, const std::string& more) override {
    if (step.command != "token") return Model::learn(step, more);
    const bool exclusive = players_[step.who].has == Side::exclusive;
    exclusive ? tokens_.see(more) : tokens_.see_shared(more);
  }

  void die(std::size_t who) override { players_[who] = {}; }

  std::size_t granted() const override {
    return kPlayers - static_cast<std::size_t>(
                          std::ranges::count(players_, Side::none, &Player::has));
  }

 private:
  struct Player {
    Side has = Side::none;
    Side at_engine = Side::none;
  };

  Step with_hold(std::size_t who, Dice& dice) {
    Player& player = players_[who];
    switch (dice.below(5)) {
      case 0:
        player.has = Side::shared;
        if (downgrades_) player.at_engine = Side::shared;
        return {who, "downgrade", ok()};
      case 1:
        if (player.has == Side::exclusive) return {who, "upgrade", ok()};
        return {who, "upgrade", error(Errc::would_deadlock)};
      case 2:
        return {who, "exclusive", ok(player.has == Side::exclusive)};
      case 3:
        return {who, "token", ok()};
      default:
        player = {};
        return {who, "release", ok()};
    }
  }

  bool fits(Side side) const {
    return std::ranges::none_of(players_, [&](const Player& each) {
      return each.at_engine == Side::exclusive ||
             (each.at_engine == Side::shared && side == Side::exclusive);
    });
  }

  const bool downgrades_;
  TokenRule tokens_;
  std::array<Player, kPlayers> players_{};
};

}  // namespace

ModelPtr shared_mutex_model(const engine::Traits& traits) {
  return std::make_unique<SharedMutexModel>(traits);
}

}  // namespace holdfast::test
