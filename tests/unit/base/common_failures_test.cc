// SPDX-License-Identifier: Apache-2.0

#include "base/common_failures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <new>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace holdfast::base {
namespace {

// The text of a failure, up to what to do about it, and that.
struct FailureRow {
  std::string_view function;
  Failure failure;
  Errc code;
  std::string text;
  std::string remedy;
};

const std::string kServer = "Redis at 10.0.0.1:6379";
const std::string kFence = "the fence \"/var/lib/app/fence\"";
const std::string kCheck = "check that it runs and can be reached";

std::vector<FailureRow> common_failures() {
  const std::string a = in_quotes("a");
  return {
      {"used_by_another_kind", used_by_another_kind(a), Errc::wrong_kind,
       "\"a\" is in use by another kind of primitive: ", "use another name"},
      {"cannot_grow", cannot_grow(a), Errc::unsupported,
       "a claim on \"a\" can be made smaller, not larger: ",
       "release it and acquire more"},
      {"reader_cannot_write", reader_cannot_write(a), Errc::unsupported,
       "a reader of \"a\" cannot become its writer: ",
       "release it and lock for writing"},
      {"reader_cannot_write", reader_cannot_write(a, Errc::would_deadlock),
       Errc::would_deadlock, "a reader of \"a\" cannot become its writer: ",
       "release it and lock for writing"},
      // As examples/semaphore.cc shows it.
      {"too_many_permits", too_many_permits("\"uploads\"", 4, 3), Errc::bad_argument,
       "\"uploads\" will never have 4 permits, it has 3: ",
       "ask for at most 3, or set a larger number with Semaphore::set_permits or "
       "`holdfast semaphore`"},
      {"too_many_permits", too_many_permits("\"uploads\"", 1, 0), Errc::bad_argument,
       "\"uploads\" will never have 1 permits, it has 0: ",
       "set their number first, with Semaphore::set_permits or `holdfast semaphore`"},
      {"number_does_not_fit", number_does_not_fit(a), Errc::bad_argument,
       "the change would overflow the 64 bits of \"a\", so nothing was changed: ",
       "change it by less"},
      {"token_too_far_ahead", token_too_far_ahead(a), Errc::bad_argument,
       "a token for \"a\" was named that is more than an hour ahead of the server's "
       "clock: ",
       "set the clocks of this host and of the server"},
      {"empty_token", empty_token(kFence), Errc::bad_argument,
       kFence + " cannot admit an empty token: ",
       "show the token of a hold, on an engine that has tokens"},
      {"stale_token", stale_token(kFence, {6}, {7}), Errc::stale_token,
       "token 6 is stale: " + kFence + " has seen 7; ",
       "acquire the lock again before you go on"},
      {"lost_before_release", lost_before_release(a), Errc::not_held,
       "the hold of \"a\" was lost before it was released, and another client may have "
       "had it since: ",
       "treat what was done under it as unprotected, unless it was fenced"},
      {"no_longer_held", no_longer_held("a"), Errc::not_held,
       "\"a\" is no longer held, because it was lost or released: ",
       "acquire it again"},
      {"lost_and_not_left", lost_and_not_left(a), Errc::not_held,
       "the hold of \"a\" was lost; ", "unlock every level of it first"},
      {"fewer_are_held", fewer_are_held("a", 2), Errc::bad_argument,
       "only 2 permits of \"a\" are held: ", "release no more than these"},
      {"does_not_lead", does_not_lead("a"), Errc::not_held,
       "this candidate does not lead \"a\": ", "campaign, and wait until it leads"},
      {"empty_hold", empty_hold(), Errc::not_held,
       "the hold is empty, because it was moved from, given to release_async, or never "
       "acquired: ",
       "acquire it first"},
      {"not_the_owner", not_the_owner("a"), Errc::not_owner,
       "\"a\" is not held by the thread or the Owner that releases it: ",
       "release it where it was acquired"},
      {"wait_cancelled", wait_cancelled("a"), Errc::cancelled,
       "the wait for \"a\" was cancelled by its stop_token", ""},
      {"release_not_confirmed", release_not_confirmed(a), Errc::outcome_unknown,
       "the engine has not confirmed that \"a\" is released: ",
       "Holdfast repeats the release until it has"},
      {"changed_by_others", changed_by_others(a), Errc::unavailable,
       "gave up on \"a\": other clients changed it at every attempt; ",
       "try again later"},
      {"was_given_up", was_given_up(a), Errc::not_held,
       "a claim on \"a\" was given up and is attempted again: ", "acquire it anew"},
      {"was_given_up", was_given_up(a, Errc::internal), Errc::internal,
       "a claim on \"a\" was given up and is attempted again: ", "acquire it anew"},
      {"cannot_reach", cannot_reach(kServer, "Connection refused"), Errc::unavailable,
       "cannot reach " + kServer + ": Connection refused; ", kCheck},
      {"not_answered", not_answered(kServer, Errc::unavailable), Errc::unavailable,
       kServer + " did not answer in time: ", kCheck},
      {"not_answered", not_answered(kServer, Errc::outcome_unknown, "gone (2006)"),
       Errc::outcome_unknown,
       kServer + " did not answer in time (gone (2006)): ", kCheck},
      {"connection_lost", connection_lost(kServer, Errc::unavailable),
       Errc::unavailable, "the connection to " + kServer + " was lost: ", kCheck},
      {"connection_lost",
       connection_lost(kServer, Errc::outcome_unknown, "Broken pipe"),
       Errc::outcome_unknown,
       "the connection to " + kServer + " was lost (Broken pipe): ", kCheck},
      {"answers_otherwise", answers_otherwise("10.0.0.1:6379", "Redis"),
       Errc::incompatible,
       "10.0.0.1:6379 answers, but not as Redis does: ", "check the URL"},
      {"unknown_answer", unknown_answer(kServer, "ERR what?"), Errc::incompatible,
       kServer + " gives an unknown answer: ERR what?; ", "check what runs there"},
      {"user_refused", user_refused(kServer, "no"), Errc::denied,
       kServer + " refuses: no; ", "check the user, its password and its rights"},
      {"not_trusted", not_trusted(kServer, "self-signed"), Errc::denied,
       "the certificate of " + kServer + " is not trusted: self-signed; ",
       "?ca= names the file of its authority"},
      {"session_closed", session_closed(kServer), Errc::closed,
       "the client of " + kServer + " was closed: ", "open another one"},
      {"client_closed", client_closed("a"), Errc::closed,
       "the client of \"a\" was closed: ", "open another one"},
      {"client_forked", client_forked("a"), Errc::forked,
       "the client of \"a\" belongs to the parent process: ",
       "open another one in the child"},
      {"session_ended_unanswered", session_ended_unanswered("/app/n", kServer),
       Errc::outcome_unknown,
       "the session ended before " + kServer + " had answered a change of /app/n; ",
       "read it before you repeat the call"},
      {"change_in_doubt", change_in_doubt(a, "no etcd at db:2379"),
       Errc::outcome_unknown,
       "\"a\" may have been changed: the answer was lost (no etcd at db:2379); ",
       "read it before you repeat the call"},
      {"no_thread", no_thread("renew " + a), Errc::full,
       "the system has no thread to renew \"a\": ",
       "raise the limit of threads, or end some of them"},
      {"no_memory", no_memory("ask", kServer), Errc::full,
       "no memory to ask " + kServer + ": ", "free some and try again"},
      {"no_memory", no_memory("read from", kServer, Errc::outcome_unknown),
       Errc::outcome_unknown, "no memory to read from " + kServer + ": ",
       "free some and try again"},
      {"out_of_resources", out_of_resources(std::bad_alloc(), "acquire", "a"),
       Errc::full, "no memory to acquire \"a\": ", "free some and try again"},
      {"out_of_resources",
       out_of_resources(std::system_error(EAGAIN, std::generic_category()), "acquire",
                        "a"),
       Errc::full, "the system has no thread to acquire \"a\": ",
       "raise the limit of threads, or end some of them"},
      {"cannot_read", cannot_read(in_quotes("/etc/app/ca.pem")), Errc::denied,
       "\"/etc/app/ca.pem\" cannot be read: ", "check the path and its rights"},
  };
}

// A name in quotes, a path, or a server: they are what people can look for.
bool names_a_resource(const std::string& text) {
  return testing::Matches(testing::ContainsRegex("\"[^\"]+\"|:[0-9]+|/[a-z]"))(text);
}

TEST(CommonFailuresTest, AreSpeltAsTheTableSays) {
  EXPECT_EQ(in_quotes("a"), "\"a\"");
  for (const FailureRow& each : common_failures()) {
    EXPECT_EQ(each.failure.code, each.code) << each.function;
    EXPECT_EQ(each.failure.context, each.text + each.remedy);
  }
}

// An empty hold does not know what it was for, and the caller's own stop_token needs no
// remedy.
TEST(CommonFailuresTest, NameAResourceAndSayWhatToDo) {
  for (const FailureRow& each : common_failures()) {
    if (each.function != "empty_hold") {
      EXPECT_TRUE(names_a_resource(each.text)) << each.text;
    }
    if (each.function == "wait_cancelled") continue;
    EXPECT_FALSE(each.remedy.empty()) << each.text;
    EXPECT_TRUE(each.text.ends_with(": ") || each.text.ends_with("; ")) << each.text;
  }
}

TEST(CommonFailuresTest, AreAllInTheTable) {
  std::set<std::string_view> listed;
  const std::vector<FailureRow> rows = common_failures();
  for (const FailureRow& each : rows) listed.insert(each.function);
  std::ifstream header(HOLDFAST_SRC "/base/common_failures.h");
  std::size_t declared = 0;
  for (std::string line; std::getline(header, line);) {
    const auto end = line.find('(');
    if (!line.starts_with("Failure ") || end == std::string::npos) continue;
    const std::string name = line.substr(8, end - 8);
    EXPECT_TRUE(listed.contains(name)) << name << " is not in the table";
    ++declared;
  }
  EXPECT_EQ(declared, listed.size());
}

// Where nothing has a name, the sentence does without.
TEST(CommonFailuresTest, MayHaveNoName) {
  EXPECT_EQ(client_closed("").message(), Failure(Errc::closed).message());
  EXPECT_EQ(client_forked("").message(), Failure(Errc::forked).message());
  EXPECT_EQ(out_of_resources(std::bad_alloc(), "open a client").context,
            "no memory to open a client: free some and try again");
}

TEST(CommonFailuresTest, TellWhatAnExceptionSays) {
  const Failure why = out_of_resources(std::runtime_error("no token"), "acquire", "a");
  EXPECT_EQ(why.code, Errc::full);
  EXPECT_EQ(why.context, "no token");
}

}  // namespace
}  // namespace holdfast::base
