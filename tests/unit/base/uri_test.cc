// SPDX-License-Identifier: Apache-2.0

#include "base/uri.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace holdfast::base {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(UriTest, ReadsEveryPart) {
  const auto uri =
      parse_uri("Redis://app:p%40ss@h1:6379,[::1]:7000,h3/a%20b?x=1&y=%26");
  ASSERT_TRUE(uri) << uri.error().message();
  EXPECT_EQ(uri->scheme, "redis");
  EXPECT_EQ(uri->user, "app");
  EXPECT_EQ(uri->password.reveal(), "p@ss");
  EXPECT_THAT(uri->hosts,
              testing::ElementsAre(Host{"h1", 6379}, Host{"::1", 7000}, Host{"h3", 0}));
  EXPECT_EQ(uri->path, "/a b");
  EXPECT_THAT(uri->query,
              testing::ElementsAre(testing::Pair("x", "1"), testing::Pair("y", "&")));
}

TEST(UriTest, ReadsTheShortForms) {
  EXPECT_EQ(parse_uri("local:").value().path, "");
  EXPECT_EQ(parse_uri("local:///run/app").value().path, "/run/app");
  EXPECT_EQ(parse_uri("local:/run/app").value().path, "/run/app");
  EXPECT_EQ(parse_uri("etcd://h").value().hosts.size(), 1u);
}

TEST(UriTest, RefusesWhatItCannotRead) {
  for (const char* text :
       {"", "local", ":", "1x:", "a b:", "redis://h:0", "redis://h:99999",
        "redis://h:x", "redis://[::1", "redis://[::1]x", "redis://h,,h",
        "redis://%zz@h", "redis://h/%4", "redis://h?x", "redis://h?=1", "redis://h#x",
        "local:relative", "redis://h h"}) {
    const auto uri = parse_uri(text);
    ASSERT_FALSE(uri) << text;
    EXPECT_EQ(uri.error().code, Errc::bad_url);
    EXPECT_THAT(uri.error().message(), HasSubstr("bad URL: "));
  }
}

TEST(UriTest, NeverShowsASecret) {
  const auto uri = parse_uri("redis://app:canary@h:1/0?password=canary&names=raw");
  ASSERT_TRUE(uri);
  EXPECT_EQ(uri->redacted(), "redis://app:***@h:1/0?password=***&names=raw");
  for (const char* text :
       {"redis://app:canary@h:x", "redis://canary", "redis://app:canary%@h",
        "redis://app:canary@h,,", "redis://:canary#@h", "redis://app:canary@[h"}) {
    const auto bad = parse_uri(text);
    if (bad) continue;
    EXPECT_THAT(bad.error().message(), Not(HasSubstr("canary"))) << text;
  }
}

TEST(UriTest, AQuorumHasPartsThatAreWholeUrls) {
  const auto uri = parse_uri("quorum:redis://a:1/2?x=y,local:,local:///run/a%2Cb");
  ASSERT_TRUE(uri) << uri.error().message();
  ASSERT_EQ(uri->parts.size(), 3u);
  EXPECT_THAT(uri->parts[0].hosts, testing::ElementsAre(Host{"a", 1}));
  EXPECT_EQ(uri->parts[0].path, "/2");
  EXPECT_EQ(uri->parts[1].scheme, "local");
  EXPECT_EQ(uri->parts[2].path, "/run/a,b");
  EXPECT_TRUE(parse_uri("redis://a").value().parts.empty());
}

TEST(UriTest, AQuorumsPartsAreRefusedByTheirNumber) {
  const std::pair<const char*, const char*> rows[] = {
      {"quorum://a", "part 1 of the quorum is not a whole URL"},
      {"quorum:redis://a,b,redis://c", "part 2 of the quorum is not a whole URL"},
      {"quorum:redis://a,,redis://c", "part 2 of the quorum is not a whole URL"},
      {"quorum:redis://a,redis://b:0", "part 2 of the quorum is a bad URL: the port"},
      {"quorum:redis://a,quorum:local:", "part 2 of the quorum is not a whole URL"},
      {"quorum:redis://u:can,ary:x@h", "part 1 of the quorum is a bad URL: the port"},
      {"quorum:redis://u,ary:x@h", "part 2 of the quorum is not a whole URL"},
  };
  for (const auto& [text, why] : rows) {
    const auto uri = parse_uri(text);
    ASSERT_FALSE(uri) << text;
    EXPECT_EQ(uri.error().code, Errc::bad_url);
    EXPECT_THAT(uri.error().message(), HasSubstr(why)) << text;
    EXPECT_THAT(uri.error().message(), Not(HasSubstr("ary"))) << text;
  }
  EXPECT_EQ(parse_uri("quorum:redis://a:p@h,local:///a%2Cb").value().redacted(),
            "quorum:redis://a:***@h,local:///a%2Cb");
}

TEST(UriTest, RedactedCanBeReadAgain) {
  for (const char* text : {"local:", "local:///run/a%20b", "redis://h1:1,[::1]:2/x?a=b",
                           "etcd://user@h", "quorum:redis://a,redis://b/1,local:"}) {
    EXPECT_EQ(parse_uri(text).value().redacted(), text);
  }
}

}  // namespace
}  // namespace holdfast::base
