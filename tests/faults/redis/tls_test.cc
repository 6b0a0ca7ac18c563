// Connections over TLS: whom the client trusts, and how it says that it does not.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <thread>
#include <vector>

#include "conformance/claim_lock.h"
#include "faults/redis/ground.h"
#include "holdfast/mutex.h"
#include "support/eventually.h"
#include "support/free_port.h"
#include "support/tls_files.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

class RedisTls : public testing::Test {
 protected:
  // A server that shows this certificate; `clients`: no, optional or yes.
  std::unique_ptr<RedisServer> serve(const Wanted& wanted,
                                     const std::string& clients = "no") {
    const Identity identity = files_.issue(wanted);
    port_ = free_port();
    return std::make_unique<RedisServer>(std::vector<std::string>{
        "tls-port " + std::to_string(port_), "tls-cert-file " + identity.cert,
        "tls-key-file " + identity.key, "tls-ca-cert-file " + files_.authority(),
        "tls-auth-clients " + clients});
  }

  std::string at(const std::string& host = "127.0.0.1") const {
    return "rediss://" + host + ":" + std::to_string(port_);
  }
  std::string trusting() const { return "?ca=" + files_.authority(); }

  static void expect_distrust(const std::string& url, const std::string& says) {
    const Failure failure = first_failure(url);
    EXPECT_EQ(failure.code, Errc::denied) << failure.message();
    EXPECT_TRUE(is_one_sentence(failure.message())) << failure.message();
    EXPECT_THAT(failure.message(), ContainsRegex(says));
  }

  TlsFiles files_;
  std::uint16_t port_ = 0;
};

TEST_F(RedisTls, AGoodCertificate) {
  const auto server = serve({.name = "good"});
  Mutex over_tls(open_quietly(at() + trusting()), "a");
  Mutex plain(open_quietly(server->url()), "a");
  ASSERT_TRUE(over_tls.try_lock());
  EXPECT_FALSE(plain.try_lock());
  over_tls.unlock();
  EXPECT_TRUE(plain.try_lock());
}

TEST_F(RedisTls, WaitersAreWokenOverIt) {
  const auto server = serve({.name = "good"});
  const Client client = open_quietly(at() + trusting());
  const auto resource = client.session().bind({engine::Kind::mutex, "a"}).value();
  Mutex first(client, "a");
  Mutex second(open_quietly(at() + trusting()), "a");
  first.lock();
  auto woken =
      std::async(std::launch::async, [&] { return second.try_lock_for(scaled(4s)); });
  EXPECT_TRUE(
      eventually([&] { return resource->survey(9, soon()).value().size() == 2; }));
  first.unlock();
  EXPECT_TRUE(woken.get()) << "the lease is 30 s";
}

TEST_F(RedisTls, ManyThreads) {
  const auto server = serve({.name = "good"});
  const Client client = open_quietly(at() + trusting());
  std::vector<std::jthread> threads;
  threads.reserve(16);
  for (int i = 0; i < 16; ++i) {
    threads.emplace_back([&, i] {
      Mutex mutex(client, "name " + std::to_string(i));
      for (int j = 0; j < 50; ++j) {
        auto hold = mutex.acquire({.wait = patience()});
        ASSERT_TRUE(hold) << hold.error().message();
        EXPECT_TRUE(hold->release());
      }
    });
  }
  threads.clear();
  EXPECT_EQ(left_behind(*server), "");
}

TEST_F(RedisTls, AnExpiredCertificate) {
  const auto server = serve({.name = "old", .begins = -48h, .ends = -24h});
  expect_distrust(at() + trusting(), "expired");
}

TEST_F(RedisTls, ACertificateOfTheFuture) {
  const auto server = serve({.name = "young", .begins = 24h, .ends = 48h});
  expect_distrust(at() + trusting(), "not valid yet");
}

TEST_F(RedisTls, AForeignAuthority) {
  const auto server = serve({.name = "good"});
  const TlsFiles foreign;
  expect_distrust(at() + "?ca=" + foreign.authority(), "certificate");
  expect_distrust(at(), "certificate");
}

TEST_F(RedisTls, ASelfSignedCertificate) {
  const auto server = serve({.name = "self", .self_signed = true});
  expect_distrust(at() + trusting(), "self.signed");
  EXPECT_TRUE(Mutex(open_quietly(at() + "?verify=no"), "a").try_lock());
}

TEST_F(RedisTls, AnotherHostsCertificate) {
  const auto server = serve({.name = "other", .host = "DNS:redis.example"});
  expect_distrust(at() + trusting(), "(host|name|127.0.0.1)");
  expect_distrust(at("localhost") + trusting(), "(host|name)");
  Mutex mutex(open_quietly(at() + trusting() + "&server_name=redis.example"), "a");
  EXPECT_TRUE(mutex.try_lock());
}

TEST_F(RedisTls, AnAddressInsteadOfAName) {
  const auto server = serve({.name = "named", .host = "DNS:localhost"});
  EXPECT_TRUE(Mutex(open_quietly(at("localhost") + trusting()), "a").try_lock());
  expect_distrust(at("127.0.0.1") + trusting(), "(host|name|127.0.0.1)");
}

TEST_F(RedisTls, AServerThatWantsToKnowWhoWeAre) {
  const auto server = serve({.name = "good"}, "yes");
  const Identity us = files_.issue({.name = "us"});
  Mutex mutex(open_quietly(at() + trusting() + "&cert=" + us.cert + "&key=" + us.key),
              "a");
  EXPECT_TRUE(mutex.try_lock());
  const Failure failure = first_failure(at() + trusting());
  EXPECT_TRUE(is_one_sentence(failure.message())) << failure.message();
  EXPECT_THAT(failure.message(), HasSubstr("?cert="));
}

TEST_F(RedisTls, FilesThatAreNotThere) {
  const auto server = serve({.name = "good"});
  for (const std::string option : {"?ca=/no/such", "?cert=/no/such&key=/no/such"}) {
    const Failure failure = first_failure(at() + option);
    EXPECT_THAT(failure.message(), HasSubstr("/no/such"));
    EXPECT_TRUE(is_one_sentence(failure.message())) << failure.message();
  }
}

TEST_F(RedisTls, APlainServerBehindATlsUrl) {
  const RedisServer server;
  const Failure failure =
      first_failure("rediss://127.0.0.1:" + std::to_string(server.port()));
  EXPECT_TRUE(is_one_sentence(failure.message())) << failure.message();
  EXPECT_THAT(failure.message(), HasSubstr("TLS"));
}

TEST_F(RedisTls, ATlsServerBehindAPlainUrl) {
  const auto server = serve({.name = "good"});
  const Failure failure = first_failure("redis://127.0.0.1:" + std::to_string(port_));
  EXPECT_TRUE(is_one_sentence(failure.message())) << failure.message();
  EXPECT_THAT(failure.message(), HasSubstr("rediss://"));
}

}  // namespace
}  // namespace holdfast::test
