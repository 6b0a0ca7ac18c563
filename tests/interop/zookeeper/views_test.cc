// SPDX-License-Identifier: Apache-2.0

// What each side sees of the other's locks, and can do to them.

#include "conformance/claim_lock.h"
#include "holdfast/mutex.h"
#include "interop/zookeeper/zookeeper_interop.h"
#include "support/eventually.h"
#include "support/process.h"

namespace holdfast::test {
namespace {

using std::chrono::milliseconds;

std::vector<engine::Entry> survey(const Client& client, std::string_view java,
                                  const std::string& name) {
  const auto resource = client.session().bind(address_of(java, name)).value();
  return resource->survey(10, soon()).value();
}

// Returns all that `holdfast VERB NAME` prints.
std::string printed(const std::string& url, const std::string& verb,
                    const std::string& name) {
  Process program({HOLDFAST_PROGRAM, verb, name}, {"HOLDFAST_URL=" + url});
  std::string all;
  while (const auto line = program.read_line()) all += *line + "\n";
  EXPECT_EQ(program.wait(), 0) << all;
  return all;
}

class Views : public ZookeeperInterop, public testing::WithParamInterface<const char*> {
 protected:
  const std::string java{GetParam()};
  const Client client = open(java);
};

TEST_P(Views, WeSeeTheHolderInJava) {
  prepare(java, lock);
  peer_takes("holder", java, lock);
  const auto entries = survey(client, java, lock);
  ASSERT_EQ(entries.size(), 1U);
  const engine::Entry& entry = entries.front();
  EXPECT_FALSE(entry.owner.empty());
  EXPECT_FALSE(entry.payload.empty());
  EXPECT_TRUE(entry.granted);
  EXPECT_TRUE(entry.since);
  EXPECT_EQ(entry.mode == engine::Mode::shared, java == "ReadLock");
  peer().ask("holder", "unlock", java, lock);
  EXPECT_TRUE(eventually([&] { return survey(client, java, lock).empty(); }));
}

TEST_P(Views, WeCanEndAHoldOfJava) {
  prepare(java, lock);
  peer_takes("holder", java, lock);
  const auto entries = survey(client, java, lock);
  ASSERT_EQ(entries.size(), 1U);
  const auto resource = client.session().bind(address_of(java, lock)).value();
  ASSERT_TRUE(resource->evict(entries.front().owner, soon()));
  EXPECT_TRUE(make_ours(java, client, lock)->acquire({.wait = patience()}));
}

TEST_P(Views, TheProgramShowsTheHolderInJava) {
  prepare(java, lock);
  peer_takes("holder", java, lock);
  const std::string payload = survey(client, java, lock).at(0).payload;
  EXPECT_NE(printed(url(), "show", lock).find(payload), std::string::npos);
  peer().ask("holder", "unlock", java, lock);
}

INSTANTIATE_TEST_SUITE_P(, Views,
                         testing::Values("InterProcessMutex",
                                         "InterProcessSemaphoreMutex", "ReadLock",
                                         "WriteLock", "InterProcessSemaphoreV2",
                                         "LeaderLatch", "LeaderSelector"),
                         kind_name);

class Revocation : public ZookeeperInterop {
 protected:
  const Client client = open("InterProcessMutex");
};

TEST_F(Revocation, OfOurHoldIsShown) {
  Mutex mutex(client, lock);
  auto hold = mutex.acquire().value();
  const std::string node = path + "/" + children(path).at(0);
  ASSERT_EQ(peer().ask("t", "revoke", node).said, "ok");
  EXPECT_EQ(survey(client, "InterProcessMutex", lock).at(0).payload, "__REVOKE__");
  EXPECT_NE(printed(url(), "show", lock).find("__REVOKE__"), std::string::npos);
  EXPECT_TRUE(hold.valid());  // a revocation is a request and ends nothing
  EXPECT_TRUE(hold.release());
}

class NodeOfOurs : public ZookeeperInterop {};

TEST_F(NodeOfOurs, DeletedByAnotherClientIsReportedAsLost) {
  const milliseconds ttl = scaled(milliseconds(1500));
  const Client client = open("InterProcessMutex", ttl);
  Mutex mutex(client, lock);
  auto hold = mutex.acquire().value();
  ASSERT_EQ(peer().ask("t", "delete", path + "/" + children(path).at(0)).said, "ok");
  EXPECT_TRUE(eventually([&] { return hold.lost().stop_requested(); }, ttl));
  EXPECT_EQ(code_of(hold.release()), Errc::not_held);
}

}  // namespace
}  // namespace holdfast::test
