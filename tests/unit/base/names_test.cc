// SPDX-License-Identifier: Apache-2.0

#include "holdfast/names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace holdfast {
namespace {

using testing::HasSubstr;

TEST(NamesTest, AcceptsWhatIsPrintable) {
  const std::string good[] = {"a",
                              "stock/1001",
                              "with space",
                              "{tag}:x",
                              "\xC3\xA4",
                              "\xE2\x82\xAC",
                              "\xF0\x9F\x94\x92",
                              "\xC2\xA0",
                              std::string(512, 'x')};
  for (const auto& name : good) EXPECT_TRUE(check_name(name)) << name;
}

TEST(NamesTest, SaysWhatIsWrongAndWhere) {
  struct Row {
    std::string name;
    const char* message;
  };
  const Row rows[] = {
      {"", "empty"},
      {std::string(513, 'x'), "513 bytes"},
      {std::string("a\0b", 3), "control character at byte 2"},
      {"ab\n", "control character at byte 3"},
      {"\x7F", "control character at byte 1"},
      {"x\xC2\x85", "control character at byte 2"},  // C1
      {"\xFF", "UTF-8 at byte 1"},
      {"ab\xC3", "UTF-8 at byte 3"},            // cut short
      {"\xC0\x80", "UTF-8 at byte 1"},          // overlong
      {"\xE0\x80\x80", "UTF-8 at byte 1"},      // overlong
      {"\xF0\x80\x80\x80", "UTF-8 at byte 1"},  // overlong
      {"\xED\xA0\x80", "UTF-8 at byte 1"},      // surrogate
      {"\xF4\x90\x80\x80", "UTF-8 at byte 1"},  // above U+10FFFF
      {"\x80", "UTF-8 at byte 1"},
      {"\xE2\x28\xA1", "UTF-8 at byte 1"},
  };
  for (const Row& row : rows) {
    const auto checked = check_name(row.name);
    ASSERT_FALSE(checked) << row.message;
    EXPECT_EQ(checked.error().code, Errc::bad_name);
    EXPECT_THAT(checked.error().message(), HasSubstr(row.message));
  }
}

}  // namespace
}  // namespace holdfast
