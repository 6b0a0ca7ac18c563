// SPDX-License-Identifier: Apache-2.0

#include "faults/tls.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "faults/redis/ground.h"
#include "holdfast/mutex.h"
#include "support/eventually.h"
#include "support/free_port.h"
#include "support/redis_cluster.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

class RedisTls : public testing::Test {
 protected:
  // `clients` show a certificate: no, optional or yes.
  void serve(const Identity& identity, const std::string& clients = "no") {
    server_.emplace(std::vector<std::string>{
        "tls-port " + port_, "tls-cert-file " + identity.cert,
        "tls-key-file " + identity.key, "tls-ca-cert-file " + files_.authority(),
        "tls-auth-clients " + clients});
  }
  std::string localhost() const {
    return "rediss://localhost:" + port_ + "?ca=" + files_.authority();
  }

  TlsFiles files_;
  const std::string port_ = std::to_string(free_port());
  std::optional<RedisServer> server_;
  const Tls tls_{files_, [this](const Identity& identity) { serve(identity); },
                 [this](const std::string& options) {
                   return "rediss://127.0.0.1:" + port_ + "?" + options;
                 }};
};

TEST_F(RedisTls, AGoodCertificate) { a_good_certificate(tls_); }
TEST_F(RedisTls, WaitersAreWokenOverIt) { waiters_are_woken(tls_); }
TEST_F(RedisTls, AnExpiredCertificate) {
  an_expired_certificate(tls_);
  expect_distrust(tls_.trusting(), "expired");
}
TEST_F(RedisTls, AForeignAuthority) { a_foreign_authority(tls_); }
TEST_F(RedisTls, NoAuthority) { no_authority(tls_); }
TEST_F(RedisTls, AnotherHostsCertificate) {
  another_hosts_certificate(tls_);
  expect_distrust(tls_.trusting(), "(host|name|127.0.0.1)");
  expect_distrust(localhost(), "(host|name)");
}
TEST_F(RedisTls, FilesThatAreNotThere) { files_that_are_not_there(tls_); }

TEST_F(RedisTls, AnotherNameMayBeExpected) {
  serve(files_.issue({.name = "other", .host = "DNS:redis.example"}));
  const Client client = open_quietly(tls_.trusting("server_name=redis.example"));
  EXPECT_TRUE(Mutex(client, "a").try_lock());
}

TEST_F(RedisTls, ItsLocksAreThoseOfOtherConnections) {
  serve(files_.issue({.name = "good"}));
  Mutex over_tls(open_quietly(tls_.trusting()), "a");
  Mutex plain(open_quietly(server_->url()), "a");
  ASSERT_TRUE(over_tls.try_lock());
  EXPECT_FALSE(plain.try_lock());
  over_tls.unlock();
  EXPECT_TRUE(plain.try_lock());
}

TEST_F(RedisTls, ManyThreads) {
  serve(files_.issue({.name = "good"}));
  const Client client = open_quietly(tls_.trusting());
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
  EXPECT_EQ(left_behind(*server_), "");
}

TEST_F(RedisTls, ACertificateOfTheFuture) {
  serve(files_.issue({.name = "young", .begins = 24h, .ends = 48h}));
  expect_distrust(tls_.trusting(), "not valid yet");
}

TEST_F(RedisTls, ASelfSignedCertificate) {
  serve(files_.issue({.name = "self", .self_signed = true}));
  expect_distrust(tls_.trusting(), "self.signed");
  EXPECT_TRUE(Mutex(open_quietly(tls_.url("verify=no")), "a").try_lock());
}

TEST_F(RedisTls, AnAddressInsteadOfAName) {
  serve(files_.issue({.name = "named", .host = "DNS:localhost"}));
  EXPECT_TRUE(Mutex(open_quietly(localhost()), "a").try_lock());
  expect_distrust(tls_.trusting(), "(host|name|127.0.0.1)");
}

TEST_F(RedisTls, AServerThatWantsToKnowWhoWeAre) {
  serve(files_.issue({.name = "good"}), "yes");
  EXPECT_TRUE(knows_us(tls_));
  clear_failure(tls_.trusting(), "?cert=");
}

TEST_F(RedisTls, APlainServerBehindATlsUrl) {
  const RedisServer server;
  clear_failure("rediss://127.0.0.1:" + std::to_string(server.port()), "TLS");
}

TEST_F(RedisTls, ATlsServerBehindAPlainUrl) {
  serve(files_.issue({.name = "good"}));
  clear_failure("redis://127.0.0.1:" + port_, "rediss://");
}

// The servers also talk to each other over TLS.
class RedisClusterTls : public testing::Test {
 protected:
  std::string trusting() const { return cluster_.tls_url("?ca=" + files_.authority()); }

  TlsFiles files_;
  const Identity identity_ = files_.issue({.name = "good"});
  RedisCluster cluster_{
      3,
      0,
      {"tls-cluster yes", "tls-auth-clients no", "tls-cert-file " + identity_.cert,
       "tls-key-file " + identity_.key, "tls-ca-cert-file " + files_.authority()}};
};

TEST_F(RedisClusterTls, WaitersAreWokenAtEveryServer) {
  const Client holder = open_quietly(trusting());
  const Client waiter = open_quietly(trusting());
  for (std::size_t server = 0; server < cluster_.size(); ++server) {
    std::string name = "n";
    while (cluster_.primary_of(name) != server) name += "n";
    auto hold = Mutex(holder, name).acquire();
    ASSERT_TRUE(hold) << hold.error().message();
    std::jthread release([&] {
      EXPECT_TRUE(eventually([&] {
        return cluster_[server].command({"ZCARD", "holdfast_queue:{" + name + "}"}) ==
               "1";
      }));
      EXPECT_TRUE(hold->release());
    });
    const auto next = Mutex(waiter, name).acquire({.wait = patience()});
    EXPECT_TRUE(next) << next.error().message();
  }
}

TEST_F(RedisClusterTls, ASlotThatHasMovedIsFollowed) {
  const Client client = open_quietly(trusting());
  auto hold = Mutex(client, "a").acquire();
  ASSERT_TRUE(hold) << hold.error().message();
  cluster_.move_slot(cluster_.slot_of("a"), (cluster_.primary_of("a") + 1) % 3);
  EXPECT_TRUE(hold->release());
}

TEST_F(RedisClusterTls, AUrlWithoutItIsAnsweredWithTheRightForm) {
  clear_failure("redis+cluster://127.0.0.1:" + cluster_.tls_port(0),
                "rediss+cluster://");
  clear_failure("redis://127.0.0.1:" + cluster_.tls_port(0), "rediss://");
  clear_failure(
      "rediss://127.0.0.1:" + cluster_.tls_port(0) + "?ca=" + files_.authority(),
      "its URL is rediss+cluster://");
  clear_failure("rediss" + cluster_.url("?ca=" + files_.authority()).substr(5),
                "starts with redis+cluster://");
}

}  // namespace
}  // namespace holdfast::test
