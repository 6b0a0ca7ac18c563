// SPDX-License-Identifier: Apache-2.0

#include "engines/zookeeper/names.h"

#include <gtest/gtest.h>

#include <set>

namespace holdfast::zookeeper {
namespace {

TEST(ZookeeperNamesTest, WhatNestsIsSpeltOut) {
  EXPECT_EQ(encode_name("stock"), "stock");
  EXPECT_EQ(encode_name("stock/1001"), "stock%2F1001");
  EXPECT_EQ(encode_name("100%"), "100%25");
  EXPECT_EQ(encode_name("/"), "%2F");
  EXPECT_EQ(encode_name("with space"), "with space");
  EXPECT_EQ(encode_name("\xC3\xA4"), "\xC3\xA4");
}

TEST(ZookeeperNamesTest, EveryNameIsAPathOfOneStepAndComesBack) {
  std::set<std::string> spelt;
  const std::string names[] = {"a",
                               ".",
                               "..",
                               "...",
                               "zookeeper",
                               "%2E",
                               "%7Aookeeper",
                               "a/b",
                               "a%2Fb",
                               "//",
                               "\xE2\x82\xAC",
                               "\xEE\x80\x80",      // U+E000
                               "\xEF\xBF\xB0",      // U+FFF0
                               "\xF0\x9F\x94\x92",  // needs a surrogate
                               "\xC2\xA0",
                               std::string(512, '/')};
  for (const std::string& name : names) {
    const std::string node = encode_name(name);
    EXPECT_TRUE(is_path("/" + node)) << node;
    EXPECT_EQ(node.find('/'), std::string::npos) << node;
    EXPECT_NE(node, "zookeeper");
    EXPECT_EQ(decode_name(node), name);
    EXPECT_TRUE(spelt.insert(node).second) << "two names are one: " << node;
  }
}

TEST(ZookeeperNamesTest, WhatWeDoNotSpellIsNoName) {
  for (const char* node : {"%", "%2", "%zz", "%61", "%2f", "a%2", "zookeeper"}) {
    EXPECT_FALSE(decode_name(node)) << node;
  }
}

TEST(ZookeeperNamesTest, PathsAreCheckedAsZookeeperDoes) {
  for (const char* good : {"/a", "/a/b", "/a b", "/\xC3\xA4", "/...", "/a/.b"}) {
    EXPECT_TRUE(is_path(good)) << good;
  }
  for (const char* bad : {"", "a", "/", "//", "/a/", "/a//b", "/.", "/a/..", "/a\x01",
                          "/\x7F", "/\xEE\x80\x80", "/\xF0\x9F\x94\x92"}) {
    EXPECT_FALSE(is_path(bad)) << bad;
  }
}

TEST(ZookeeperNamesTest, RawNamesArePaths) {
  EXPECT_EQ(path_of("/app", "a/b", true).value(), "/app/a/b");
  EXPECT_EQ(path_of("/app", "/a/b", true).value(), "/app/a/b");
  EXPECT_EQ(path_of("", "a", true).value(), "/a");
  EXPECT_EQ(path_of("/app", "zookeeper", true).value(), "/app/zookeeper");
  for (const char* bad : {"a//b", "a/", ".", "a/../b", "zookeeper", "/zookeeper/x"}) {
    const auto path = path_of("", bad, true);
    ASSERT_FALSE(path) << bad;
    EXPECT_EQ(path.error().code, Errc::bad_name);
    EXPECT_TRUE(path.error().context.starts_with("\"" + std::string(bad) + "\" "));
    EXPECT_NE(path.error().context.find(": use another name"), std::string::npos);
  }
  EXPECT_EQ(path_of("/app", "a/b", false).value(), "/app/a%2Fb");
  EXPECT_EQ(path_of("", "zookeeper", false).value(), "/%7Aookeeper");
}

}  // namespace
}  // namespace holdfast::zookeeper
