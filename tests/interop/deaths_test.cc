// SPDX-License-Identifier: Apache-2.0

// A holder that is killed on one side keeps the other side out until its lease has
// ended, and no longer.

#include <memory>

#include "conformance/claim_lock.h"
#include "interop/interop.h"
#include "support/process.h"

namespace holdfast::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

const milliseconds kLease = scaled(milliseconds(2000));

class Deaths : public InteropOfKind {
 protected:
  const std::string kind{GetParam()};  // the kind of lock that the dead process held
  const std::string wanted = kind == kinds().reader ? kinds().writer : kind;
  const std::string lock = name("lock");

  // Expects that the grant came with the end of the lease, within what machines need.
  static void expect_in_time(steady_clock::time_point death) {
    EXPECT_LT(steady_clock::now() - death, kLease + scaled(milliseconds(2000)));
  }
};

TEST_P(Deaths, OfThePeer) {
  prepare(kind, lock);
  const bool leased = kind == kinds().unrenewed;
  Peer victim = start_peer({.lease = kLease});
  ASSERT_EQ(
      victim
          .ask("t", "lock", kind, lock, patience(), leased ? kLease : milliseconds(-1))
          .said,
      "ok");
  const auto ours = make_ours(wanted, open(wanted), lock);
  if (!leased) {  // as long as it lives, it keeps us out for longer than a lease
    EXPECT_EQ(code_of(ours->acquire({.wait = kLease * 3 / 2})), Errc::timed_out);
  }
  victim.kill();
  const auto death = steady_clock::now();
  const auto token = ours->acquire({.wait = patience()});
  ASSERT_TRUE(token) << token.error().message();
  expect_in_time(death);
}

TEST_P(Deaths, OfOurs) {
  prepare(kind, lock);
  Process victim(
      {HOLDFAST_INTEROP_HOLDER, url(), kind, lock, std::to_string(kLease.count())});
  ASSERT_EQ(victim.read_line(), "held");
  EXPECT_EQ(peer().ask("t", "lock", wanted, lock, 0, -1).said, "timeout");
  victim.signal(SIGKILL);
  victim.wait();
  const auto death = steady_clock::now();
  const Answer answer = peer().ask("t", "lock", wanted, lock, patience(), -1);
  ASSERT_EQ(answer.said, "ok") << answer.value;
  expect_in_time(death);
  peer().ask("t", "unlock", wanted, lock);
}

INSTANTIATE_TEST_SUITE_P(, Deaths, testing::ValuesIn(kinds().mortal), kind_name);

}  // namespace
}  // namespace holdfast::test
