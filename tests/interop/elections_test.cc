// SPDX-License-Identifier: Apache-2.0

// The election of the peer is our Election: both sides see the same leader.

#include <mutex>
#include <optional>
#include <vector>

#include "holdfast/election.h"
#include "interop/recipes.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

class Elections : public RecipeTest {
 protected:
  const std::string kind = recipes().election;
  const Client client = open(kind);
  Election election{client, lock};

  std::string leader_for_us() {
    const auto leader = election.leader().value();
    return leader ? leader->payload : "";
  }
  std::string leader_for_the_peer() { return peer().ask("t", "leader", lock).value; }
};

TEST_F(Elections, ThePeerSeesOurLeader) {
  election.campaign("10.0.0.1:80").value();
  EXPECT_EQ(leader_for_the_peer(), "10.0.0.1:80");
  election.proclaim("10.0.0.2:80").value();
  EXPECT_EQ(leader_for_the_peer(), "10.0.0.2:80");
  election.resign().value();
  EXPECT_EQ(leader_for_the_peer(), "");
}

TEST_F(Elections, WeSeeThePeersLeader) {
  peer_takes("a", kind, lock);
  EXPECT_EQ(leader_for_us(), recipes().payload);
  peer_gives_back("a", kind, lock);
  if (recipes().resigns_at_once) {
    EXPECT_EQ(leader_for_us(), "");
  }
  EXPECT_TRUE(eventually([&] { return leader_for_us().empty(); }));
}

TEST_F(Elections, NewsOfThePeersLeaderReachUs) {
  std::mutex mutex;
  std::vector<std::string> told;
  const auto news = election
                        .observe([&](const std::optional<Leader>& leader) {
                          const std::scoped_lock guard(mutex);
                          told.push_back(leader ? leader->payload : "");
                        })
                        .value();
  const auto last_is = [&](const std::string& payload) {
    return eventually([&] {
      const std::scoped_lock guard(mutex);
      return !told.empty() && told.back() == payload;
    });
  };
  peer_takes("a", kind, lock);
  EXPECT_TRUE(last_is(recipes().payload));
  peer_gives_back("a", kind, lock);
  EXPECT_TRUE(last_is(""));
}

}  // namespace
}  // namespace holdfast::test
