// SPDX-License-Identifier: Apache-2.0

// LeaderLatch is our Election: both sides see the same leader.

#include "holdfast/election.h"

#include <mutex>
#include <optional>
#include <vector>

#include "interop/zookeeper/zookeeper_interop.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

class Elections : public ZookeeperInterop {
 protected:
  const Client client = open("LeaderLatch");
  Election election{client, lock};

  std::string leader_for_us() {
    const auto leader = election.leader().value();
    return leader ? leader->payload : "";
  }
  std::string leader_for_java() { return peer().ask("t", "leader", lock).value; }
};

TEST_F(Elections, JavaSeesOurLeader) {
  election.campaign("10.0.0.1:80").value();
  EXPECT_EQ(leader_for_java(), "10.0.0.1:80");
  election.proclaim("10.0.0.2:80").value();
  EXPECT_EQ(leader_for_java(), "10.0.0.2:80");
  election.resign().value();
  EXPECT_EQ(leader_for_java(), "");
}

TEST_F(Elections, WeSeeJavasLeader) {
  take_in_java("a", "LeaderLatch", lock);
  EXPECT_EQ(leader_for_us(), "java");
  peer().ask("a", "unlock", "LeaderLatch", lock);
  EXPECT_TRUE(eventually([&] { return leader_for_us().empty(); }));
}

TEST_F(Elections, NewsOfJavasLeaderReachUs) {
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
  take_in_java("a", "LeaderLatch", lock);
  EXPECT_TRUE(last_is("java"));
  peer().ask("a", "unlock", "LeaderLatch", lock);
  EXPECT_TRUE(last_is(""));
}

}  // namespace
}  // namespace holdfast::test
