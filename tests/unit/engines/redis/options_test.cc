// SPDX-License-Identifier: Apache-2.0

#include "engines/redis/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "support/temp_dir.h"

namespace holdfast::redis {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

Result<Options> read(const std::string& url) {
  const auto uri = base::parse_uri(url);
  if (!uri) return uri.error();
  return read_options(*uri);
}

TEST(RedisOptionsTest, TheDefaults) {
  const auto options = read("redis://");
  ASSERT_TRUE(options) << options.error().message();
  EXPECT_EQ(options->endpoint.spelt(), "127.0.0.1:6379");
  EXPECT_FALSE(options->endpoint.tls.on);
  EXPECT_EQ(options->endpoint.db, 0);
  EXPECT_EQ(options->endpoint.client_name, "holdfast");
  EXPECT_TRUE(options->endpoint.password.empty());
  EXPECT_EQ(options->layout, LockLayout::redisson);
  EXPECT_EQ(options->semaphore, SemaphoreLayout::leased);
  EXPECT_EQ(options->token_ttl, 0ms);
  EXPECT_EQ(options->fair_wait, 5min);
}

TEST(RedisOptionsTest, HostsAndDatabases) {
  EXPECT_EQ(read("redis://h").value().endpoint.spelt(), "h:6379");
  EXPECT_EQ(read("redis://[::1]:7000/2").value().endpoint.spelt(), "[::1]:7000");
  EXPECT_EQ(read("redis://[::1]:7000/2").value().endpoint.db, 2);
  EXPECT_EQ(read("redis://h/").value().endpoint.db, 0);
  EXPECT_EQ(read("redis://h?db=4").value().endpoint.db, 4);
  EXPECT_EQ(read("redis://h/4?db=4").value().endpoint.db, 4);
  EXPECT_EQ(read("redis:///3").value().endpoint.spelt(), "127.0.0.1:6379");
  EXPECT_EQ(read("redis:///3").value().endpoint.db, 3);
  EXPECT_TRUE(read("rediss://h").value().endpoint.tls.on);
}

TEST(RedisOptionsTest, UnixSockets) {
  const auto options = read("redis://app:pw@/run/redis/redis.sock?db=2");
  ASSERT_TRUE(options) << options.error().message();
  EXPECT_EQ(options->endpoint.socket, "/run/redis/redis.sock");
  EXPECT_EQ(options->endpoint.spelt(), "/run/redis/redis.sock");
  EXPECT_EQ(options->endpoint.db, 2);
  EXPECT_EQ(options->endpoint.user, "app");
}

TEST(RedisOptionsTest, ServersOfACluster) {
  const auto options = read("redis+cluster://app:pw@h1,h2:7000/0?nat=n1=h1:7001,n2=h2");
  ASSERT_TRUE(options) << options.error().message();
  EXPECT_TRUE(options->is_cluster());
  EXPECT_EQ(base::spell(options->cluster.servers), "h1:6379,h2:7000");
  ASSERT_EQ(options->cluster.nat.size(), 2U);
  EXPECT_EQ(base::spell(options->cluster.nat[0].announced), "n1:6379");
  EXPECT_EQ(base::spell(options->cluster.nat[0].reached), "h1:7001");
  EXPECT_EQ(options->endpoint.user, "app");
  EXPECT_FALSE(options->endpoint.tls.on);
  EXPECT_TRUE(read("rediss+cluster://h?ca=/ca").value().endpoint.tls.on);
  EXPECT_FALSE(read("redis://h").value().is_cluster());
}

// The lines of a file are not a URL: several addresses are the servers of a cluster.
TEST(RedisOptionsTest, SeveralAddressesOfAFileAreACluster) {
  auto uri = base::parse_uri("redis://h1,h2").value();
  uri.origin = {.file = "locks.conf", .lines = {{"type", 1}, {"address", 2}}};
  const auto options = read_options(uri);
  ASSERT_TRUE(options) << options.error().message();
  EXPECT_EQ(base::spell(options->cluster.servers), "h1:6379,h2:6379");
}

TEST(RedisOptionsTest, EveryOption) {
  const auto options = read(
      "rediss://h?ack=2&ack_time=250ms&ca=/ca&cert=/c&key=/k&client_name=svc&db=1"
      "&fair_wait=10s&layout=string&semaphore=plain&server_name=n&token_ttl=24h"
      "&verify=no");
  ASSERT_TRUE(options) << options.error().message();
  EXPECT_EQ(options->acks.of(5), 2);
  EXPECT_EQ(options->ack_time, 250ms);
  EXPECT_EQ(options->endpoint.tls.ca_file, "/ca");
  EXPECT_EQ(options->endpoint.tls.cert_file, "/c");
  EXPECT_EQ(options->endpoint.tls.key_file, "/k");
  EXPECT_EQ(options->endpoint.tls.server_name, "n");
  EXPECT_FALSE(options->endpoint.tls.verify);
  EXPECT_EQ(options->endpoint.client_name, "svc");
  EXPECT_EQ(options->fair_wait, 10s);
  EXPECT_EQ(options->layout, LockLayout::string);
  EXPECT_EQ(options->semaphore, SemaphoreLayout::plain);
  EXPECT_EQ(options->token_ttl, 24h);
}

TEST(RedisOptionsTest, RefusesWhatItDoesNotKnow) {
  const std::pair<const char*, const char*> table[] = {
      {"redis://h1,h2", "redis+cluster://host,host"},
      {"redis://h/zero", "number of a database"},
      {"redis://h/1?db=2", "twice"},
      {"redis://h/99999999999", "too large"},
      {"redis://h?db=-1", "?db="},
      {"redis://h?colour=red", "no option \"colour\""},
      {"redis://h?ca=/ca", "rediss://"},
      {"redis://h?ack=many", "?ack="},
      {"redis://h?ack_time=5", "500ms"},
      {"redis://h?layout=xml", "redisson or string"},
      {"redis://h?client_name=a%20b", "?client_name="},
      {"redis://h?password_file=", "?password_file="},
      {"rediss://h?verify=perhaps", "no or yes"},
      {"rediss://h?cert=/c", "come together"},
      {"rediss:///run/redis.sock", "unix socket"},
      {"redis://h?nat=a=b", "in a Redis Cluster and with sentinels only"},
      {"redis+cluster://h/1", "database 0 alone"},
      {"redis+cluster:///run/redis.sock", "no socket"},
      {"redis+cluster://h?db=1", "database 0 alone"},
      {"redis+cluster://h?nat=a", "pairs of addresses"},
      {"redis+cluster://h?ca=/ca", "rediss"},
  };
  for (const auto& [url, why] : table) {
    const auto options = read(url);
    ASSERT_FALSE(options) << url;
    EXPECT_EQ(options.error().code, Errc::bad_url) << url;
    EXPECT_THAT(options.error().message(), HasSubstr(why)) << url;
  }
  EXPECT_THAT(read("redis://h?x=1").error().message(), HasSubstr("token_ttl"));
}

// The primary itself has the lock, too.
TEST(RedisOptionsTest, AMajorityOfTheServers) {
  const Acks acks = read("redis://h?ack=majority").value().acks;
  EXPECT_TRUE(acks.wanted());
  const int of_replicas[] = {1, 1, 1, 2, 2, 3};
  for (int i = 0; i < 6; ++i) EXPECT_EQ(acks.of(i), of_replicas[i]) << i;
  EXPECT_FALSE(read("redis://h?ack=0").value().acks.wanted());
  EXPECT_THAT(read("redis://h?ack=most").error().message(),
              HasSubstr("a number of replicas, or majority"));
}

TEST(RedisOptionsTest, Sentinels) {
  const auto options = read("redis+sentinel://app:pw@s1,s2:5000,[::1]/mymaster?db=3");
  ASSERT_TRUE(options) << options.error().message();
  EXPECT_EQ(base::spell(options->sentinels.hosts), "s1:26379,s2:5000,[::1]:26379");
  EXPECT_EQ(options->sentinels.name, "mymaster");
  EXPECT_TRUE(options->sentinels.user.empty());
  EXPECT_TRUE(options->sentinels.password.empty()) << "the server's is not for them";
  EXPECT_EQ(options->endpoint.spelt(), "mymaster");
  EXPECT_EQ(options->endpoint.user, "app");
  EXPECT_EQ(options->endpoint.db, 3);
  EXPECT_FALSE(options->endpoint.tls.on);
  EXPECT_TRUE(read("rediss+sentinel://s/m?verify=no").value().endpoint.tls.on);
  EXPECT_TRUE(read("redis://h").value().sentinels.hosts.empty());
}

TEST(RedisOptionsTest, SentinelUrlsThatAreIncomplete) {
  for (const char* url : {"redis+sentinel:///m", "redis+sentinel://s",
                          "redis+sentinel://s/", "redis+sentinel://s/m/0"}) {
    const auto options = read(url);
    ASSERT_FALSE(options) << url;
    EXPECT_EQ(options.error().code, Errc::bad_url) << url;
    EXPECT_THAT(options.error().message(), HasSubstr(" as in ")) << url;
  }
  EXPECT_THAT(read("redis+sentinel://s/m?ca=f").error().message(),
              HasSubstr("rediss+sentinel://"));
  EXPECT_THAT(read("redis://h?sentinel_user=a").error().message(),
              HasSubstr("redis+sentinel://"));
}

class RedisPasswordTest : public testing::Test {
 protected:
  RedisPasswordTest() { setenv("HOLDFAST_PASSWORD", "from-the-environment", 1); }
  ~RedisPasswordTest() override { unsetenv("HOLDFAST_PASSWORD"); }

  std::string file(std::string_view content) {
    std::ofstream(dir_.file("password")) << content;
    return dir_.file("password");
  }

  static std::string password(const std::string& url) {
    return read(url).value().endpoint.password.reveal();
  }

 private:
  const test::TempDir dir_;
};

TEST_F(RedisPasswordTest, ComesFromTheUrlFirst) {
  EXPECT_EQ(password("redis://app:p%40ss@h?password_file=" + file("other")), "p@ss");
}

TEST_F(RedisPasswordTest, ThenFromTheFirstLineOfTheFile) {
  EXPECT_EQ(password("redis://app@h?password_file=" + file("se cret\r\nmore\n")),
            "se cret");
  EXPECT_EQ(password("redis://h?password_file=" + file("bare")), "bare");
}

TEST_F(RedisPasswordTest, ThenFromTheEnvironment) {
  EXPECT_EQ(password("redis://app@h"), "from-the-environment");
}

TEST_F(RedisPasswordTest, AFileThatCannotBeReadIsDenied) {
  for (const std::string& path : {std::string("/nowhere/password"), file("")}) {
    const auto options = read("redis://h?password_file=" + path);
    ASSERT_FALSE(options);
    EXPECT_EQ(options.error().code, Errc::denied);
    EXPECT_THAT(options.error().message(), HasSubstr(path));
  }
}

TEST_F(RedisPasswordTest, IsNeverShown) {
  for (const char* url : {"redis://app:canary@h?x=1", "redis://app:canary@h1,h2",
                          "redis://:canary@h/x", "redis://app:canary@h?ack=x"}) {
    const auto options = read(url);
    ASSERT_FALSE(options) << url;
    EXPECT_THAT(options.error().message(), Not(HasSubstr("canary")));
  }
}

}  // namespace
}  // namespace holdfast::redis
