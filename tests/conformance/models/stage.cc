// SPDX-License-Identifier: Apache-2.0

#include "conformance/models/stage.h"

#include <utility>

#include "conformance/claim_lock.h"
#include "support/eventually.h"

namespace holdfast::test {

Stage::Stage(EngineUnderTest& engine, std::string use,
             const std::vector<engine::Address>& addresses)
    : engine_(engine),
      use_(std::move(use)),
      observer_(engine.open({})),
      kind_(addresses.front().kind) {
  for (const auto& each : addresses) {
    resources_.push_back(observer_.session().bind(each).value());
  }
  while (players_.size() < kPlayers) players_.push_back(start());
}

std::unique_ptr<Victim> Stage::start() const {
  auto player = std::make_unique<Victim>(engine_.url());
  EXPECT_EQ(player->ask("use " + use_), "ok");
  return player;
}

void Stage::replace(std::size_t who) {
  players_[who]->kill();
  players_[who] = start();
}

Stage::View Stage::look() const {
  View view;
  for (const auto& resource : resources_) {
    const auto entries = resource->survey(1000, soon());
    EXPECT_TRUE(entries) << entries.error().message();
    if (!entries) continue;
    for (const auto& entry : *entries) {
      ++(entry.granted ? view.granted : view.waiting);
    }
  }
  return view;
}

testing::AssertionResult Stage::shows(std::size_t granted,
                                      std::optional<std::size_t> waiting) const {
  View seen;
  const auto met = [&] {
    seen = look();
    return seen.granted == granted && seen.waiting == waiting.value_or(seen.waiting);
  };
  if (eventually(met, engine_.death_told_within())) return testing::AssertionSuccess();
  return testing::AssertionFailure()
         << seen.granted << " are in and " << seen.waiting << " wait, not " << granted
         << " and " << (waiting ? spelt(*waiting) : "any number");
}

engine::Traits Stage::traits() const { return observer_.traits(kind_); }

}  // namespace holdfast::test
