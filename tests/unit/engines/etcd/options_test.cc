// SPDX-License-Identifier: Apache-2.0

#include "engines/etcd/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace holdfast::etcd {
namespace {

using testing::HasSubstr;

Result<Options> read(const std::string& url) {
  return read_options(base::parse_uri(url).value());
}

TEST(EtcdOptions, DefaultsAreALocalServer) {
  const Options options = read("etcd:").value();
  EXPECT_EQ(options.spelt(), "127.0.0.1:2379");
  EXPECT_EQ(options.root, "");
  EXPECT_FALSE(options.raw_names);
  EXPECT_FALSE(options.hand_over);
  EXPECT_FALSE(options.tls.on);
}

TEST(EtcdOptions, SeveralMembersAndAPrefix) {
  const Options options = read("etcd://a,b:1,[::1]:2/app/locks/").value();
  EXPECT_EQ(options.spelt(), "a:2379,b:1,[::1]:2");
  EXPECT_EQ(options.root, "/app/locks/");
}

TEST(EtcdOptions, Tls) {
  const Options options =
      read("etcds://h?ca=/a&cert=/b&key=/c&server_name=etcd.internal").value();
  EXPECT_TRUE(options.tls.on);
  EXPECT_EQ(options.tls.ca_file, "/a");
  EXPECT_EQ(options.tls.cert_file, "/b");
  EXPECT_EQ(options.tls.key_file, "/c");
  EXPECT_EQ(options.tls.server_name, "etcd.internal");
}

TEST(EtcdOptions, AUserWithAPassword) {
  const Options options = read("etcd://app:s3cret@h").value();
  EXPECT_EQ(options.user, "app");
  EXPECT_EQ(options.password.reveal(), "s3cret");
}

struct Bad {
  const char* url;
  const char* says;
};

class BadEtcdOptions : public testing::TestWithParam<Bad> {};

TEST_P(BadEtcdOptions, AreNamed) {
  const auto options = read(GetParam().url);
  ASSERT_FALSE(options);
  EXPECT_EQ(options.error().code, Errc::bad_url);
  EXPECT_THAT(options.error().message(), HasSubstr(GetParam().says));
  EXPECT_THAT(options.error().message(), Not(HasSubstr("s3cret")));
}

INSTANTIATE_TEST_SUITE_P(
    , BadEtcdOptions,
    testing::Values(Bad{"etcd://h?colour=red", "no option \"colour\"; it has ca, cert"},
                    Bad{"etcd://h?names=odd", "?names= must be encoded or raw"},
                    Bad{"etcd://h?hand_over=maybe", "?hand_over= must be no or yes"},
                    Bad{"etcd://h?ca=/a", "start with etcds://"},
                    Bad{"etcds://h?cert=/a", "?cert= and ?key= come together"},
                    Bad{"etcds://h?ca=", "?ca= must be a word or a path"},
                    Bad{"etcd://:s3cret@h", "a password needs a user"}),
    [](const auto& test) { return "n" + std::to_string(test.index); });

}  // namespace
}  // namespace holdfast::etcd
