// SPDX-License-Identifier: Apache-2.0

#include "faults/lost_calls.h"

#include <gtest/gtest.h>

#include "faults/etcd/ground.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

class EtcdLostCalls : public OnEtcd {
 protected:
  const LostCalls calls_{bad_line_,
                         [this] {
                           auto passed = line_.passed();
                           return passed["Txn"] + passed["Range"] + passed["Put"] +
                                  passed["DeleteRange"];
                         },
                         [this](const std::string& name, const Hold& hold) {
                           EXPECT_EQ(static_cast<std::uint64_t>(only_key(name).created),
                                     hold.token().value);
                         }};
};

TEST_F(EtcdLostCalls, ALockAndAnUnlock) { a_lock_and_an_unlock(calls_); }
TEST_F(EtcdLostCalls, AReleaseIsToldTruly) { a_release_is_told_truly(calls_); }
TEST_F(EtcdLostCalls, AWait) { a_wait(calls_); }
TEST_F(EtcdLostCalls, AWaitThatIsGivenUp) { a_wait_that_is_given_up(calls_); }
TEST_F(EtcdLostCalls, ALook) { a_look(calls_); }
TEST_F(EtcdLostCalls, ReadersAndADowngrade) { readers_and_a_downgrade(calls_); }
TEST_F(EtcdLostCalls, Permits) { permits(calls_); }
// A `ready` that was left behind is deleted by the next party that comes.
TEST_F(EtcdLostCalls, Parties) { parties(calls_); }
TEST_F(EtcdLostCalls, AChangeIsMadeOnce) { a_change_is_made_once(calls_); }
TEST_F(EtcdLostCalls, AVersionedChange) { a_versioned_change_is_made_once(calls_); }

// Keep-alives use the connection of the streams; the checks of a renewal use this one.
TEST_F(EtcdLostCalls, Renewals) {
  const auto ttl = scaled(2s);
  const Client client = open(ttl);
  for (const bool reply : {false, true}) {
    const auto hold = Mutex(client, "a").acquire({.wait = patience()});
    ASSERT_TRUE(hold) << hold.error().message();
    reply ? line_.lose_replies(1) : line_.lose_requests(1);
    EXPECT_TRUE(throughout(2 * ttl, [&] { return hold->valid(); }));
    line_.lose_replies(0);
  }
}

}  // namespace
}  // namespace holdfast::test
