// Connections over TLS: whom the client trusts, and how it says that it does not.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "faults/etcd/ground.h"
#include "support/tls_files.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

class EtcdTls : public testing::Test {
 protected:
  // A server that shows this certificate.
  std::unique_ptr<EtcdServer> serve(const Wanted& wanted,
                                    std::vector<std::string> more = {}) {
    const Identity identity = files_.issue(wanted);
    more.insert(more.begin(),
                {"--cert-file", identity.cert, "--key-file", identity.key});
    return std::make_unique<EtcdServer>(std::move(more));
  }
  std::string trusting() const { return "?ca=" + files_.authority(); }

  static void expect_distrust(const std::string& url) {
    const Failure failure = first_failure(url);
    EXPECT_EQ(failure.code, Errc::denied) << failure.message();
    EXPECT_TRUE(is_one_sentence(failure.message())) << failure.message();
    EXPECT_THAT(failure.message(), HasSubstr("ertificate"));
  }

  TlsFiles files_;
};

TEST_F(EtcdTls, AGoodCertificate) {
  const auto server = serve({.name = "good"});
  Mutex one(open_quietly(server->url(trusting())), "a");
  Mutex two(open_quietly(server->url(trusting())), "a");
  ASSERT_TRUE(one.try_lock());
  EXPECT_FALSE(two.try_lock());
}

TEST_F(EtcdTls, WaitersAreWokenOverIt) {
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

TEST_F(EtcdTls, AnExpiredCertificate) {
  const auto server = serve({.name = "old", .begins = -48h, .ends = -24h});
  expect_distrust(server->url(trusting()));
}

TEST_F(EtcdTls, AForeignAuthority) {
  const auto server = serve({.name = "good"});
  const TlsFiles foreign;
  expect_distrust(server->url("?ca=" + foreign.authority()));
}

TEST_F(EtcdTls, NoAuthority) {
  const auto server = serve({.name = "good"});
  expect_distrust(server->url());
}

TEST_F(EtcdTls, AnotherHostsCertificate) {
  const auto server = serve({.name = "other", .host = "DNS:etcd.example"});
  expect_distrust(server->url(trusting()));
}

TEST_F(EtcdTls, AnotherNameMayBeExpected) {
  const auto server = serve({.name = "other", .host = "DNS:etcd.example"});
  Mutex mutex(open_quietly(server->url(trusting() + "&server_name=etcd.example")), "a");
  EXPECT_TRUE(mutex.try_lock());
}

class EtcdMutualTls : public EtcdTls {
 protected:
  const std::unique_ptr<EtcdServer> server_ =
      serve({.name = "good"},
            {"--client-cert-auth", "--trusted-ca-file", files_.authority()});
};

TEST_F(EtcdMutualTls, KnowsUs) {
  const Identity us = files_.issue({.name = "us"});
  Mutex mutex(
      open_quietly(server_->url(trusting() + "&cert=" + us.cert + "&key=" + us.key)),
      "a");
  EXPECT_TRUE(mutex.try_lock());
}

TEST_F(EtcdMutualTls, DoesNotKnowUs) {
  const Failure failure = first_failure(server_->url(trusting()));
  EXPECT_TRUE(is_one_sentence(failure.message())) << failure.message();
  EXPECT_THAT(failure.message(), HasSubstr("cert="));
}

TEST_F(EtcdTls, FilesThatAreNotThere) {
  const auto server = serve({.name = "good"});
  for (const std::string option : {"?ca=/no/such", "?cert=/no/such&key=/no/such"}) {
    const Failure failure = first_failure(server->url(option));
    EXPECT_THAT(failure.message(), HasSubstr("/no/such"));
    EXPECT_TRUE(is_one_sentence(failure.message())) << failure.message();
  }
}

TEST_F(EtcdTls, APlainServerBehindATlsUrl) {
  const EtcdServer server;
  const Failure failure =
      first_failure("etcds://" + server.address() + "/" + trusting());
  EXPECT_TRUE(is_one_sentence(failure.message())) << failure.message();
  EXPECT_THAT(failure.message(), HasSubstr("TLS"));
}

TEST_F(EtcdTls, ATlsServerBehindAPlainUrl) {
  const auto server = serve({.name = "good"});
  const Failure failure = first_failure("etcd://" + server->address());
  EXPECT_TRUE(is_one_sentence(failure.message())) << failure.message();
  EXPECT_THAT(failure.message(), HasSubstr("etcds://"));
}

}  // namespace
}  // namespace holdfast::test
