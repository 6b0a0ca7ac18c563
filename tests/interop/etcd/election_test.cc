// SPDX-License-Identifier: Apache-2.0

// concurrency.Election is our Election: both sides see the same leader.

#include "holdfast/election.h"

#include <mutex>
#include <optional>
#include <vector>

#include "interop/etcd/etcd_interop.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

class Elections : public EtcdInterop {
 protected:
  const Client client = open("Election");
  Election election{client, lock};

  std::string leader_for_us() {
    const auto leader = election.leader().value();
    return leader ? leader->payload : "";
  }
  std::string leader_for_go() { return peer().ask("t", "leader", lock).value; }
};

TEST_F(Elections, GoSeesOurLeader) {
  election.campaign("10.0.0.1:80").value();
  EXPECT_EQ(leader_for_go(), "10.0.0.1:80");
  election.proclaim("10.0.0.2:80").value();
  EXPECT_EQ(leader_for_go(), "10.0.0.2:80");
  election.resign().value();
  EXPECT_EQ(leader_for_go(), "");
}

TEST_F(Elections, WeSeeGosLeader) {
  take_in_go("a", "Election", lock);
  EXPECT_EQ(leader_for_us(), "go");
  ASSERT_EQ(peer().ask("a", "proclaim", lock, "10.0.0.2:80").said, "ok");
  EXPECT_EQ(leader_for_us(), "10.0.0.2:80");
  const auto leader = election.leader().value();
  EXPECT_EQ(std::to_string(leader->token.value),
            ask_about(keys(lock).at(0), "created"));
  give_back_in_go("a", "Election", lock);
  EXPECT_EQ(leader_for_us(), "");
}

TEST_F(Elections, NewsOfOurLeaderReachGo) {
  peer().tell("first", "seen", lock, "one", patience());
  peer().tell("second", "seen", lock, "two", patience());
  election.campaign("one").value();
  EXPECT_EQ(peer().answer("first").said, "ok");
  election.proclaim("two").value();
  EXPECT_EQ(peer().answer("second").said, "ok");
}

TEST_F(Elections, NewsOfGosLeaderReachUs) {
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
  take_in_go("a", "Election", lock);
  EXPECT_TRUE(last_is("go"));
  ASSERT_EQ(peer().ask("a", "proclaim", lock, "another").said, "ok");
  EXPECT_TRUE(last_is("another"));
  give_back_in_go("a", "Election", lock);
  EXPECT_TRUE(last_is(""));
}

}  // namespace
}  // namespace holdfast::test
