// SPDX-License-Identifier: Apache-2.0

#include "engines/redis/errors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace holdfast::redis {
namespace {

using testing::HasSubstr;
using testing::Not;

const ServerName kServer{.called = "Redis at 10.0.0.1:6379"};

Reply error_of(std::string_view bytes) {
  ReplyReader reader;
  EXPECT_TRUE(reader.feed(bytes));
  auto reply = reader.next();
  EXPECT_TRUE(reply && *reply) << bytes;
  return reply && *reply ? **std::move(reply) : Reply();
}

TEST(RedisErrorsTest, ErrorsHaveAMeaning) {
  const std::pair<const char*, Errc> table[] = {
      {"WRONGTYPE Operation against a key", Errc::wrong_kind},
      {"ERR value is not an integer or out of range", Errc::wrong_kind},
      {"OOM command not allowed", Errc::full},
      {"READONLY You can't write against a read only replica.", Errc::unavailable},
      {"LOADING Redis is loading the dataset in memory", Errc::unavailable},
      {"BUSY Redis is busy running a script.", Errc::unavailable},
      {"MASTERDOWN Link with MASTER is down", Errc::unavailable},
      {"MISCONF Redis is configured to save RDB snapshots", Errc::unavailable},
      {"CLUSTERDOWN The cluster is down", Errc::unavailable},
      {"TRYAGAIN Multiple keys", Errc::unavailable},
      {"NOREPLICAS Not enough good replicas", Errc::unavailable},
      {"MOVED 3999 127.0.0.1:6381", Errc::unsupported},
      {"ASK 3999 127.0.0.1:6381", Errc::unsupported},
      {"CROSSSLOT Keys in request", Errc::unsupported},
      {"NOAUTH Authentication required.", Errc::denied},
      {"NOPERM this user has no permissions", Errc::denied},
      {"ERR The user executing the script can't run this command", Errc::denied},
      {"WRONGPASS invalid username-password pair", Errc::denied},
      {"NOSCRIPT No matching script.", Errc::internal},
      {"ERR unknown command", Errc::incompatible},
  };
  for (const auto& [said, code] : table) {
    const Reply reply = error_of("-" + std::string(said) + "\r\n");
    const Failure why = failure_of(reply.view(), kServer);
    EXPECT_EQ(why.code, code) << said;
    EXPECT_THAT(why.message(), HasSubstr(said));
    EXPECT_EQ(is_no_script(reply.view()), code == Errc::internal) << said;
  }
  EXPECT_THAT(failure_of(error_of("-MOVED 1 h:1\r\n").view(), kServer).message(),
              HasSubstr("redis+cluster://"));
}

TEST(RedisErrorsTest, ErrorsNameTheServerAndWhatHelps) {
  const auto full = error_of("-OOM command not allowed\r\n");
  EXPECT_EQ(failure_of(full.view(), kServer).message(),
            "Redis at 10.0.0.1:6379 is out of memory: raise maxmemory, or delete keys "
            "(it said: OOM command not allowed)");
  const auto odd = error_of("-ERR unknown\r\n");
  EXPECT_EQ(failure_of(odd.view(), kServer).message(),
            "Redis at 10.0.0.1:6379 gives an unknown answer: ERR unknown; check what "
            "runs there");
}

// Sentinels and clusters choose another primary, so their URLs need not change.
TEST(RedisErrorsTest, AReplicaIsAMistakeOrAFailover) {
  for (const std::string said : {"READONLY You can't write", "MASTERDOWN Link"}) {
    const auto reply = error_of("-" + said + "\r\n");
    EXPECT_THAT(
        failure_of(reply.view(), kServer).message(),
        HasSubstr("10.0.0.1:6379 is a replica: the URL must lead to its primary"));
    ServerName watched = kServer;
    watched.fails_over = true;
    const std::string message = failure_of(reply.view(), watched).message();
    EXPECT_THAT(message,
                HasSubstr("10.0.0.1:6379 is a replica: a failover is under way"));
    EXPECT_THAT(message, Not(HasSubstr("URL")));
  }
}

TEST(RedisErrorsTest, APasswordThatIsMissingIsAskedForInOneWay) {
  const auto reply = error_of("-NOAUTH Authentication required.\r\n");
  EXPECT_EQ(failure_of(reply.view(), kServer).message(),
            wants_password(kServer) + " (it said: NOAUTH Authentication required.)");
  EXPECT_EQ(wants_password(kServer, " for user \"app\""),
            "Redis at 10.0.0.1:6379 wants a password for user \"app\": give it in the "
            "URL, by ?password_file= or by $HOLDFAST_PASSWORD");
  Endpoint sentinel;
  sentinel.is_sentinel = true;
  EXPECT_EQ(wants_password(sentinel.name()),
            "the sentinel at 127.0.0.1:6379 wants a password: give it by "
            "?sentinel_password_file= or by $HOLDFAST_SENTINEL_PASSWORD");
}

TEST(RedisErrorsTest, APasswordThatIsRefusedIsToldInTheWordsOfAllEngines) {
  const auto reply = error_of("-WRONGPASS invalid username-password pair\r\n");
  EXPECT_EQ(failure_of(reply.view(), kServer).message(),
            "Redis at 10.0.0.1:6379 refuses: the password; check the user, its "
            "password and its rights (it said: WRONGPASS invalid username-password "
            "pair)");
}

TEST(RedisErrorsTest, ARightMayBeOneToAKeyOrAChannel) {
  const auto reply = error_of("-NOPERM No permissions to access a key\r\n");
  EXPECT_THAT(failure_of(reply.view(), kServer).message(),
              HasSubstr("a right to a command, key or channel that is needed"));
}

TEST(RedisErrorsTest, ErrorsOfScriptsAreToldWithoutTheirPosition) {
  const std::string sha = "3f2b0c0a9f1d4e5f6a7b8c9d0e1f2a3b4c5d6e7f";
  const std::string error = "WRONGTYPE Operation against a key";
  for (const std::string& said :
       {error + " script: " + sha + ", on @user_script:7.",
        "ERR Error running script (call to f_" + sha + "): @user_script:7: " + error,
        "ERR Error running script (call to f_" + sha +
            "): @user_script: 7: " + error}) {
    const Failure why = failure_of(error_of("-" + said + "\r\n").view(), kServer);
    EXPECT_EQ(why.code, Errc::wrong_kind) << said;
    EXPECT_EQ(why.message(), kServer.called + " said: " + error);
  }
  const std::string odd = "ERR Error running script (call to f_" + sha + ")";
  EXPECT_THAT(failure_of(error_of("-" + odd + "\r\n").view(), kServer).message(),
              HasSubstr(": " + odd + ";"));
}

TEST(RedisErrorsTest, ErrorsAreShownInOnePrintableLine) {
  const Reply reply = error_of("-ERR \x1b[2J\x07" + std::string(5000, 'x') + "\r\n");
  const std::string message = failure_of(reply.view(), kServer).message();
  EXPECT_LT(message.size(), 300u);
  EXPECT_THAT(message, Not(HasSubstr("\x1b")));
}

TEST(RedisErrorsTest, AnotherKindIsNamedWithTheResource) {
  EXPECT_THAT(explain_wrong_kind(Errc::wrong_kind, "a").message(), HasSubstr("\"a\""));
  const Failure other(Errc::denied, "no");
  EXPECT_EQ(explain_wrong_kind(other, "a").message(), other.message());
}

}  // namespace
}  // namespace holdfast::redis
