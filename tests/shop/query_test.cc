// SPDX-License-Identifier: Apache-2.0

#include "http/query.h"

#include <gtest/gtest.h>

namespace holdfast::shop {
namespace {

TEST(ShopQuery, HasValues) {
  struct Case {
    const char* target;
    std::optional<std::string> value;
  };
  for (const Case& each :
       {Case{"/a", std::nullopt}, Case{"/a?", std::nullopt}, Case{"/a?key=b", "b"},
        Case{"/a?x=1&key=b&key=c", "b"}, Case{"/a?key", ""},
        Case{"/a?keys=b", std::nullopt}, Case{"/a?key=", ""}, Case{"/a?&&key=b", "b"},
        Case{"/a?key=a%20b+c", "a b c"}, Case{"/a?key=%3Cb%3e", "<b>"},
        Case{"/a?key=%", "%"}, Case{"/a?key=%4", "%4"}, Case{"/a?key=%zz", "%zz"},
        Case{"/key=b", std::nullopt}}) {
    EXPECT_EQ(query_value(each.target, "key"), each.value) << each.target;
  }
  EXPECT_EQ(path_of("/a/b?c=/d"), "/a/b");
  EXPECT_EQ(path_of(""), "");
}

}  // namespace
}  // namespace holdfast::shop
