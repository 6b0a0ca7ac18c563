// SPDX-License-Identifier: Apache-2.0

// What a leader of concurrency.Election says is what a leader of our Election says.
// elections_test.cc has what is the same on every engine.

#include "holdfast/election.h"

#include <atomic>
#include <optional>

#include "interop/etcd/etcd_interop.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

class Proclamations : public EtcdInterop {
 protected:
  const Client client = open("Election");
  Election election{client, lock};

  void proclaim_in_go(const std::string& payload) {
    ASSERT_EQ(peer().ask("a", "proclaim", lock, payload).said, "ok");
  }
};

TEST_F(Proclamations, OfGosLeaderAreSeen) {
  peer_takes("a", "Election", lock);
  proclaim_in_go("10.0.0.2:80");
  const auto leader = election.leader().value();
  ASSERT_TRUE(leader);
  EXPECT_EQ(leader->payload, "10.0.0.2:80");
  EXPECT_EQ(std::to_string(leader->token.value),
            ask_about(keys(lock).at(0), "created"));
  peer_gives_back("a", "Election", lock);
}

TEST_F(Proclamations, OfOurLeaderReachGo) {
  peer().tell("first", "seen", lock, "one", patience());
  peer().tell("second", "seen", lock, "two", patience());
  election.campaign("one").value();
  EXPECT_EQ(peer().answer("first").said, "ok");
  election.proclaim("two").value();
  EXPECT_EQ(peer().answer("second").said, "ok");
}

TEST_F(Proclamations, OfGosLeaderReachUs) {
  std::atomic<bool> told{false};
  const auto news = election
                        .observe([&](const std::optional<Leader>& leader) {
                          if (leader && leader->payload == "another") told = true;
                        })
                        .value();
  peer_takes("a", "Election", lock);
  EXPECT_FALSE(told);
  proclaim_in_go("another");
  EXPECT_TRUE(eventually([&] { return told.load(); }));
  peer_gives_back("a", "Election", lock);
}

}  // namespace
}  // namespace holdfast::test
