// SPDX-License-Identifier: Apache-2.0

#include "json.h"

#include <gtest/gtest.h>

namespace holdfast::cli {
namespace {

std::string quoted(std::string_view text) {
  Json json;
  json.value(text);
  std::string out = json.text();
  out.pop_back();
  return out;
}

TEST(JsonTest, PutsCommasInPlace) {
  Json json;
  json.begin('{').key("a").value(1).key("b").begin('[').value("x").null().value(true);
  json.end().key("c").begin('{').end().key("d").begin('[').end().end();
  EXPECT_EQ(json.text(), R"({"a":1,"b":["x",null,true],"c":{},"d":[]})"
                         "\n");
}

TEST(JsonTest, Escapes) {
  EXPECT_EQ(quoted("say \"hi\" \\ bye"), R"("say \"hi\" \\ bye")");
  EXPECT_EQ(quoted("line\nnext\t\x7f"), R"("line\u000anext\u0009\u007f")");
  EXPECT_EQ(quoted(std::string_view("\0", 1)), R"("\u0000")");
}

TEST(JsonTest, KeepsUtf8AndReplacesWhatIsNot) {
  EXPECT_EQ(quoted("Größe € 🔒"), "\"Größe € 🔒\"");
  EXPECT_EQ(quoted("a\xff"), R"("a\ufffd")");
  EXPECT_EQ(quoted("\xc3"), R"("\ufffd")");
  EXPECT_EQ(quoted("\xed\xa0\x80"), R"("\ufffd\ufffd\ufffd")");  // a surrogate
}

}  // namespace
}  // namespace holdfast::cli
