// Connections over TLS: whom the client trusts, and how it says that it does not.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "faults/ground.h"
#include "support/mysql_server.h"
#include "support/tls_files.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

class MysqlTls : public testing::Test {
 protected:
  // A server that shows this certificate.
  std::unique_ptr<MysqlServer> serve(const Wanted& wanted,
                                     std::vector<std::string> more = {}) {
    const Identity identity = files_.issue(wanted);
    more.insert(more.begin(),
                {"--ssl-cert=" + identity.cert, "--ssl-key=" + identity.key,
                 "--ssl-ca=" + files_.authority()});
    auto server = std::make_unique<MysqlServer>(std::move(more));
    server->make_database("locks");
    return server;
  }
  std::string trusting() const { return "/locks?tls=verify&ca=" + files_.authority(); }

  static void expect_distrust(const std::string& url) {
    const Failure failure = first_failure(url);
    EXPECT_EQ(failure.code, Errc::denied) << failure.message();
    EXPECT_TRUE(is_one_sentence(failure.message())) << failure.message();
    EXPECT_THAT(failure.message(), HasSubstr("ertificate"));
  }
  static bool is_encrypted(MysqlServer& server) {
    return server.shell().figure("Ssl_finished_accepts") > 0;
  }

  TlsFiles files_;
};

TEST_F(MysqlTls, AGoodCertificate) {
  const auto server = serve({.name = "good"});
  Mutex one(open_quietly(server->url(trusting())), "a");
  Mutex two(open_quietly(server->url(trusting())), "a");
  ASSERT_TRUE(one.try_lock());
  EXPECT_FALSE(two.try_lock());
  EXPECT_TRUE(is_encrypted(*server));
}

TEST_F(MysqlTls, WaitersAreWokenOverIt) {
  const auto server = serve({.name = "good"});
  Mutex holder(open_quietly(server->url(trusting())), "a");
  Mutex waiter(open_quietly(server->url(trusting())), "a");
  holder.lock();
  auto entered = wait_for(waiter);
  EXPECT_TRUE(still_waits(entered));
  const auto released = Clock::now();
  holder.unlock();
  const Entered in = entered.get();
  EXPECT_LT(in.at - released, scaled(1s)) << in.why_not;
}

TEST_F(MysqlTls, AWaitIsGivenUpInTime) {
  const auto server = serve({.name = "good"});
  Mutex holder(open_quietly(server->url(trusting())), "a");
  Mutex waiter(open_quietly(server->url(trusting())), "a");
  holder.lock();
  const auto start = Clock::now();
  EXPECT_FALSE(waiter.try_lock_for(scaled(300ms)));
  EXPECT_LT(Clock::now() - start, scaled(2s));
}

TEST_F(MysqlTls, ACallEndsWhenItsTimeIsOver) {
  const auto server = serve({.name = "good"});
  Mutex mutex(open_quietly(server->url(trusting())), "a");
  server->pause();
  const auto start = Clock::now();
  const auto refused = mutex.acquire({.wait = scaled(300ms)});
  server->resume();
  EXPECT_LT(Clock::now() - start, scaled(2s));
  EXPECT_FALSE(refused);
}

TEST_F(MysqlTls, AnExpiredCertificate) {
  const auto server = serve({.name = "old", .begins = -48h, .ends = -24h});
  expect_distrust(server->url(trusting()));
}

TEST_F(MysqlTls, AForeignAuthority) {
  const auto server = serve({.name = "good"});
  const TlsFiles foreign;
  expect_distrust(server->url("/locks?tls=verify&ca=" + foreign.authority()));
}

TEST_F(MysqlTls, NoAuthority) {
  const auto server = serve({.name = "good"});
  expect_distrust(server->url("/locks?tls=verify"));
}

TEST_F(MysqlTls, AnotherHostsCertificate) {
  const auto server = serve({.name = "other", .host = "DNS:db.example"});
  expect_distrust(server->url(trusting()));
}

TEST_F(MysqlTls, WithoutVerifyingAnyCertificateWillDo) {
  const auto server = serve({.name = "self", .self_signed = true});
  Mutex mutex(open_quietly(server->url("/locks?tls=encrypt")), "a");
  EXPECT_TRUE(mutex.try_lock());
  EXPECT_TRUE(is_encrypted(*server));
}

TEST_F(MysqlTls, AServerWithoutItIsRefused) {
  MysqlServer server({"--skip-ssl"});
  server.make_database("locks");
  for (const std::string option : {"?tls=encrypt", "?tls=verify"}) {
    const Failure failure = first_failure(server.url("/locks" + option));
    EXPECT_EQ(failure.code, Errc::denied) << option;
    EXPECT_TRUE(is_one_sentence(failure.message())) << failure.message();
    EXPECT_THAT(failure.message(),
                ::testing::AnyOf(HasSubstr("TLS"), HasSubstr("SSL")));
  }
}

TEST_F(MysqlTls, AServerThatWantsItDeniesOthers) {
  const auto server = serve({.name = "good"}, {"--require-secure-transport=ON"});
  EXPECT_EQ(first_failure(server->url("/locks?tls=off")).code, Errc::denied);
  EXPECT_TRUE(Mutex(open_quietly(server->url(trusting())), "a").try_lock());
}

TEST_F(MysqlTls, AUserWhoMustShowACertificate) {
  const auto server = serve({.name = "good"});
  server->shell().run("ALTER USER holdfast REQUIRE X509");
  const Identity us = files_.issue({.name = "us"});
  Mutex mutex(
      open_quietly(server->url(trusting() + "&cert=" + us.cert + "&key=" + us.key)),
      "a");
  EXPECT_TRUE(mutex.try_lock());
  EXPECT_EQ(first_failure(server->url(trusting())).code, Errc::denied);
}

TEST_F(MysqlTls, FilesThatAreNotThere) {
  const auto server = serve({.name = "good"});
  for (const std::string option : {"&ca=/no/such", "&cert=/no/such&key=/no/such"}) {
    const Failure failure = first_failure(server->url("/locks?tls=verify" + option));
    EXPECT_THAT(failure.message(), HasSubstr("/no/such"));
    EXPECT_TRUE(is_one_sentence(failure.message())) << failure.message();
  }
}

}  // namespace
}  // namespace holdfast::test
