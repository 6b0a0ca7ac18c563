// SPDX-License-Identifier: Apache-2.0

// What each side sees of the other's locks, and can do to them.

#include "conformance/claim_lock.h"
#include "holdfast/mutex.h"
#include "interop/etcd/etcd_interop.h"
#include "support/eventually.h"
#include "support/process.h"

namespace holdfast::test {
namespace {

using std::chrono::milliseconds;

std::vector<engine::Entry> survey(const Client& client, std::string_view kind,
                                  const std::string& name) {
  const auto resource = client.session().bind(address_of(kind, name)).value();
  return resource->survey(10, soon()).value();
}

class Views : public EtcdInterop, public testing::WithParamInterface<const char*> {
 protected:
  const std::string kind{GetParam()};
  const Client client = open(kind);
};

TEST_P(Views, WeSeeTheHolderInGo) {
  peer_takes("holder", kind, lock);
  const auto entries = survey(client, kind, lock);
  ASSERT_EQ(entries.size(), 1U);
  const engine::Entry& entry = entries.front();
  EXPECT_FALSE(entry.owner.empty());
  EXPECT_TRUE(entry.granted);
  EXPECT_EQ(std::to_string(entry.token.value), ask_about(keys(lock).at(0), "created"));
  EXPECT_EQ(entry.mode == engine::Mode::shared, kind == "ReadLock");
  peer_gives_back("holder", kind, lock);
  EXPECT_TRUE(survey(client, kind, lock).empty());
}

TEST_P(Views, WeCanEndAHoldOfGo) {
  peer_takes("holder", kind, lock);
  const auto entries = survey(client, kind, lock);
  ASSERT_EQ(entries.size(), 1U);
  const auto resource = client.session().bind(address_of(kind, lock)).value();
  ASSERT_TRUE(resource->evict(entries.front().owner, soon()));
  EXPECT_TRUE(make_ours(kind, client, lock)->acquire({.wait = patience()}));
}

TEST_P(Views, TheProgramShowsTheHolderInGo) {
  peer_takes("holder", kind, lock);
  const engine::Entry entry = survey(client, kind, lock).at(0);
  Process program({HOLDFAST_PROGRAM, "show", lock}, {"HOLDFAST_URL=" + url()});
  std::string printed;
  while (const auto line = program.read_line()) printed += *line + "\n";
  EXPECT_EQ(program.wait(), 0) << printed;
  const std::string& holder = entry.payload.empty() ? entry.owner : entry.payload;
  EXPECT_NE(printed.find(holder), std::string::npos) << printed;
  peer_gives_back("holder", kind, lock);
}

INSTANTIATE_TEST_SUITE_P(, Views,
                         testing::Values("Mutex", "Election", "ReadLock", "WriteLock"),
                         kind_name);

class KeyOfOurs : public EtcdInterop {};

TEST_F(KeyOfOurs, DeletedByAnotherClientIsReportedAsLost) {
  const milliseconds ttl = scaled(milliseconds(3000));
  const Client client = open("Mutex", ttl);
  Mutex mutex(client, lock);
  auto hold = mutex.acquire().value();
  ASSERT_EQ(peer().ask("t", "delete", keys(lock).at(0)).said, "ok");
  EXPECT_TRUE(eventually([&] { return hold.lost().stop_requested(); }, ttl));
  EXPECT_EQ(code_of(hold.release()), Errc::not_held);
}

}  // namespace
}  // namespace holdfast::test
