// SPDX-License-Identifier: Apache-2.0

#include "faults/tls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "faults/ground.h"
#include "faults/outages.h"
#include "support/mysql_server.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using ::testing::AnyOf;
using ::testing::HasSubstr;

class MysqlTls : public testing::Test {
 protected:
  void serve(const Identity& identity, std::vector<std::string> more = {}) {
    more.insert(more.begin(),
                {"--ssl-cert=" + identity.cert, "--ssl-key=" + identity.key,
                 "--ssl-ca=" + files_.authority()});
    server_.emplace(std::move(more));
    server_->make_database("locks");
  }
  Client open(std::chrono::milliseconds ttl = scaled(30s)) const {
    return open_quietly(tls_.trusting(), ttl);
  }
  bool is_encrypted() const {
    return server_->shell().figure("Ssl_finished_accepts") > 0;
  }

  TlsFiles files_;
  std::optional<MysqlServer> server_;
  const Tls tls_{files_, [this](const Identity& identity) { serve(identity); },
                 [this](const std::string& options) {
                   return server_->url("/locks?tls=verify&" + options);
                 }};
};

TEST_F(MysqlTls, AGoodCertificate) {
  a_good_certificate(tls_);
  EXPECT_TRUE(is_encrypted());
}

TEST_F(MysqlTls, WaitersAreWokenOverIt) { waiters_are_woken(tls_); }
TEST_F(MysqlTls, AnExpiredCertificate) { an_expired_certificate(tls_); }
TEST_F(MysqlTls, AForeignAuthority) { a_foreign_authority(tls_); }
TEST_F(MysqlTls, NoAuthority) { no_authority(tls_); }
TEST_F(MysqlTls, AnotherHostsCertificate) { another_hosts_certificate(tls_); }
TEST_F(MysqlTls, FilesThatAreNotThere) { files_that_are_not_there(tls_); }

TEST_F(MysqlTls, AWaitIsGivenUpInTime) {
  serve(files_.issue({.name = "good"}));
  Mutex holder(open(), "a");
  Mutex waiter(open(), "a");
  holder.lock();
  const auto start = Clock::now();
  EXPECT_FALSE(waiter.try_lock_for(scaled(300ms)));
  EXPECT_LT(Clock::now() - start, scaled(2s));
}

TEST_F(MysqlTls, ACallEndsWhenItsTimeIsOver) {
  const auto ttl = scaled(3s);
  serve(files_.issue({.name = "good"}));
  a_call_ends_in_an_outage({[&] { return open(ttl); }, ttl, [&] { server_->pause(); },
                            [&] { server_->resume(); }});
}

TEST_F(MysqlTls, WithoutVerifyingAnyCertificateWillDo) {
  serve(files_.issue({.name = "self", .self_signed = true}));
  Mutex mutex(open_quietly(server_->url("/locks?tls=encrypt")), "a");
  EXPECT_TRUE(mutex.try_lock());
  EXPECT_TRUE(is_encrypted());
}

TEST_F(MysqlTls, AServerWithoutItIsRefused) {
  MysqlServer server({"--skip-ssl"});
  server.make_database("locks");
  for (const std::string option : {"?tls=encrypt", "?tls=verify"}) {
    const Failure failure = clear_failure(server.url("/locks" + option), "");
    EXPECT_EQ(failure.code, Errc::denied) << option;
    EXPECT_THAT(failure.message(), AnyOf(HasSubstr("TLS"), HasSubstr("SSL")));
  }
}

TEST_F(MysqlTls, AServerThatWantsItDeniesOthers) {
  serve(files_.issue({.name = "good"}), {"--require-secure-transport=ON"});
  EXPECT_EQ(first_failure(server_->url("/locks?tls=off")).code, Errc::denied);
  EXPECT_TRUE(Mutex(open(), "a").try_lock());
}

TEST_F(MysqlTls, AUserWhoMustShowACertificate) {
  serve(files_.issue({.name = "good"}));
  server_->shell().run("ALTER USER holdfast REQUIRE X509");
  EXPECT_TRUE(knows_us(tls_));
  EXPECT_EQ(first_failure(tls_.trusting()).code, Errc::denied);
}

}  // namespace
}  // namespace holdfast::test
