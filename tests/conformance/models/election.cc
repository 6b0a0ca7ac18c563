// SPDX-License-Identifier: Apache-2.0

#include <optional>

#include "conformance/models/model.h"

namespace holdfast::test {
namespace {

class ElectionModel : public Model {
 public:
  explicit ElectionModel(const engine::Traits& traits) : tokens_(traits.fences) {}

  Step next(Dice& dice) override {
    const std::size_t who = leader_ && dice.one_in(2) ? *leader_ : dice.below(kPlayers);
    const bool leads = leader_ == who;
    const std::string payload = "host-" + spelt(dice.below(1000));
    switch (dice.below(7)) {
      case 0:
        return {who, "leader", leader_ ? ok(payload_) : ok()};
      case 1:
        return {who, "valid", ok(leads)};
      case 2:
        return {who, "token", leads ? ok() : ok(0)};
      case 3:
        if (leads) payload_ = payload;
        return {who, "proclaim " + payload, leads ? ok() : error(Errc::not_held)};
      case 4:
        if (leads) leader_.reset();
        return {who, "release", leads ? ok() : error(Errc::not_held)};
    }
    const std::string command = "try " + payload;
    if (leads) return {who, command, error(Errc::bad_argument)};
    if (leader_) return {who, command, ok(false)};
    leader_ = who;
    payload_ = payload;
    tokens_.new_hold();
    return {who, command, ok(true)};
  }

  void learn(const Step& step, const std::string& more) override {
    if (step.command != "token" || step.expected != ok())
      return Model::learn(step, more);
    tokens_.see(more);
  }

  void die(std::size_t who) override {
    if (leader_ == who) leader_.reset();
  }

  std::size_t granted() const override { return leader_ ? 1 : 0; }

 private:
  TokenRule tokens_;
  std::optional<std::size_t> leader_;
  std::string payload_;
};

}  // namespace

ModelPtr election_model(const engine::Traits& traits) {
  return std::make_unique<ElectionModel>(traits);
}

}  // namespace holdfast::test
