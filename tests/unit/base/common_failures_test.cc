// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <new>
#include <stdexcept>
#include <string>
#include <system_error>

#include "base/common_failures.h"

namespace holdfast::base {
namespace {

TEST(CommonFailuresTest, NameTheResourceAndSayWhatToDo) {
  const std::string a = in_quotes("a");
  EXPECT_EQ(a, "\"a\"");
  const struct {
    Failure failure;
    Errc code;
    const char* text;
  } all[] = {
      {used_by_another_kind(a), Errc::wrong_kind,
       "\"a\" is in use by another kind of primitive: use another name"},
      {cannot_grow(a), Errc::unsupported,
       "a claim on \"a\" can be made smaller, not larger: release it and acquire more"},
      {reader_cannot_write(a), Errc::unsupported,
       "a reader of \"a\" cannot become its writer: release it and lock for writing"},
      {number_does_not_fit(a), Errc::bad_argument,
       "the change would overflow the 64 bits of \"a\", so nothing was changed: "
       "change it by less"},
      {token_too_far_ahead(a), Errc::bad_argument,
       "a token for \"a\" was named that is more than an hour ahead of the server's "
       "clock: set the clocks of this host and of the server"},
      {empty_token("the fence"), Errc::bad_argument,
       "the fence cannot admit an empty token: show the token of a hold, on an engine "
       "that has tokens"},
      {stale_token("the fence", {6}, {7}), Errc::stale_token,
       "token 6 is stale: the fence has seen 7; acquire the lock again before you go "
       "on"},
      {lost_before_release(a), Errc::not_held,
       "the hold of \"a\" was lost before it was released, and another client may have "
       "had it since: treat what was done under it as unprotected, unless it was "
       "fenced"},
      {no_longer_held(a), Errc::not_held,
       "\"a\" is no longer held, because it was lost or released: acquire it again"},
      {lost_and_not_left(a), Errc::not_held,
       "the hold of \"a\" was lost; unlock every level of it first"},
      {empty_hold(), Errc::not_held,
       "the hold is empty, because it was moved from, given to release_async, or never "
       "acquired: acquire it first"},
      {not_the_owner("a"), Errc::not_owner,
       "\"a\" is not held by the thread or the Owner that releases it: release it "
       "where "
       "it was acquired"},
      {wait_cancelled("a"), Errc::cancelled,
       "the wait for \"a\" was cancelled by its stop_token"},
      {changed_by_others(a), Errc::unavailable,
       "gave up on \"a\": other clients changed it at every attempt; try again later"},
      {was_given_up(a), Errc::not_held,
       "a claim on \"a\" was given up and is attempted again: acquire it anew"},
      {was_given_up(a, Errc::internal), Errc::internal,
       "a claim on \"a\" was given up and is attempted again: acquire it anew"},
      {cannot_reach("etcd at db:2379", "Connection refused"), Errc::unavailable,
       "cannot reach etcd at db:2379: Connection refused; check that it runs and can "
       "be "
       "reached"},
      {connection_lost("etcd at db:2379", Errc::outcome_unknown, "Socket closed"),
       Errc::outcome_unknown,
       "the connection to etcd at db:2379 was lost (Socket closed): check that it runs "
       "and can be reached"},
      {no_memory("ask", "Redis at db:6379"), Errc::full,
       "no memory to ask Redis at db:6379: free some and try again"},
      {not_answered("etcd at db:2379", Errc::unavailable), Errc::unavailable,
       "etcd at db:2379 did not answer in time: check that it runs and can be reached"},
      {not_answered("MySQL at db:3306", Errc::outcome_unknown, "gone (2006)"),
       Errc::outcome_unknown,
       "MySQL at db:3306 did not answer in time (gone (2006)): check that it runs and "
       "can be reached"},
      {client_closed("a"), Errc::closed,
       "the client of \"a\" was closed: open another one"},
      {client_forked("a"), Errc::forked,
       "the client of \"a\" belongs to the parent process: open another one in the "
       "child"},
      {session_ended_unanswered("/app/n", "ZooKeeper"), Errc::outcome_unknown,
       "the session ended before ZooKeeper had answered a change of /app/n; read it "
       "before you repeat the call"},
      {change_in_doubt(a, "no etcd at db:2379"), Errc::outcome_unknown,
       "\"a\" may have been changed: the answer was lost (no etcd at db:2379); read it "
       "before you repeat the call"},
      {no_thread("renew " + a), Errc::full,
       "the system has no thread to renew \"a\": raise the limit of threads, or end "
       "some of them"},
      {out_of_resources(std::bad_alloc(), "acquire", "a"), Errc::full,
       "no memory to acquire \"a\": free some and try again"},
      {out_of_resources(std::bad_alloc(), "open a client"), Errc::full,
       "no memory to open a client: free some and try again"},
      {out_of_resources(std::system_error(EAGAIN, std::generic_category()), "acquire",
                        "a"),
       Errc::full,
       "the system has no thread to acquire \"a\": raise the limit of threads, or end "
       "some of them"},
      {out_of_resources(std::runtime_error("no token"), "acquire", "a"), Errc::full,
       "no token"},
      {cannot_read(in_quotes("/etc/app/ca.pem")), Errc::denied,
       "\"/etc/app/ca.pem\" cannot be read: check the path and its rights"},
  };
  for (const auto& each : all) {
    EXPECT_EQ(each.failure.code, each.code) << each.text;
    EXPECT_EQ(each.failure.context, each.text);
  }
}

// As examples/semaphore.cc shows it.
TEST(CommonFailuresTest, TellHowManyPermitsThereAreAndWhatToDo) {
  EXPECT_EQ(
      too_many_permits("\"uploads\"", 4, 3).context,
      "\"uploads\" will never have 4 permits, it has 3: ask for at most 3, or set a "
      "larger number with Semaphore::set_permits or `holdfast semaphore`");
  EXPECT_EQ(
      too_many_permits("\"uploads\"", 1, 0).context,
      "\"uploads\" will never have 1 permits, it has 0: set their number first, with "
      "Semaphore::set_permits or `holdfast semaphore`");
}

}  // namespace
}  // namespace holdfast::base
