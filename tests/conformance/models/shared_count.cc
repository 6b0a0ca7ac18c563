// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <set>

#include "conformance/models/model.h"

namespace holdfast::test {
namespace {

class SharedCountModel : public Model {
 public:
  explicit SharedCountModel(const engine::Traits& traits)
      : versions_(traits.versions) {}

  Step next(Dice& dice) override {
    const std::size_t who = dice.below(kPlayers);
    const std::int64_t number = dice.between(-5, 5);
    switch (dice.below(4)) {
      case 0:
        now_.number = number;
        return {who, "set " + spelt(number), ok(number)};
      case 1: {
        const Seen from = seen_[who];
        const std::string command = "try_set " + spelt(from.number) + " " +
                                    spelt(from.version) + " " + spelt(number);
        if (from != now_) return {who, command, ok(false, now_.number, now_.version)};
        now_.number = number;
        return {who, command, ok(true, number)};
      }
      default:
        seen_[who] = now_;
        return {who, "get", ok(now_.number, now_.version)};
    }
  }

  // Learns the version after a change.
  void learn(const Step& step, const std::string& more) override {
    if (step.command == "get" || step.expected.starts_with("ok no")) {
      return Model::learn(step, more);
    }
    now_.version = std::stoull(more);
    EXPECT_NE(now_.version, 0u) << "zero is for what no client has set";
    EXPECT_TRUE(used_.insert(now_.version).second || !versions_) << "an old version";
  }

 private:
  struct Seen {
    std::int64_t number = kSeed;
    std::uint64_t version = 0;
    bool operator==(const Seen&) const = default;
  };

  const bool versions_;
  Seen now_;
  std::array<Seen, kPlayers> seen_{};  // the last value that each player has seen
  std::set<std::uint64_t> used_;
};

}  // namespace

ModelPtr shared_count_model(const engine::Traits& traits) {
  return std::make_unique<SharedCountModel>(traits);
}

}  // namespace holdfast::test
