// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "holdfast/holder.h"

namespace holdfast {
namespace {

TEST(PrintableTest, LeavesTextAsItIs) {
  for (const std::string text :
       {"", "web-07 pid 12 (x y)", "G\xc3\xbc\xc3\x9f", "\xe6\x97\xa5\xe6\x9c\xac",
        "\xf0\x9f\x94\x92", "\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d"}) {
    EXPECT_EQ(printable(text), text);
  }
}

TEST(PrintableTest, ReplacesControlCharacters) {
  EXPECT_EQ(printable("a\x1b[31mb\r\n\x7f"), "a?[31mb???");
  EXPECT_EQ(printable(std::string("a\0b", 3)), "a?b");
  EXPECT_EQ(printable("x\xc2\x9b"
                      "31m"),
            "x?31m")
      << "U+009B begins a terminal command, too";
  EXPECT_EQ(printable("\xc2\x85\xc2\x80"), "??");
}

TEST(PrintableTest, ReplacesCharactersThatTurnTheDirection) {
  EXPECT_EQ(printable("a\xe2\x80\xae"
                      "b\xe2\x81\xa6\xe2\x80\x8f\xd8\x9c"),
            "a?b???");
  EXPECT_EQ(printable("\xe2\x80\xa8\xe2\x80\xa9"), "??") << "these end a line";
}

TEST(PrintableTest, ReplacesWhatIsNotUtf8) {
  EXPECT_EQ(printable("\x9b"
                      "2J"),
            "?2J");
  EXPECT_EQ(printable("\xc0\x9b"), "??") << "an overlong form";
  EXPECT_EQ(printable("\xe0\x80\x9b"), "???");
  EXPECT_EQ(printable("\xed\xa0\x80"), "???") << "half of a surrogate pair";
  EXPECT_EQ(printable("\xe2\x82"), "??") << "a character that is cut off";
  EXPECT_EQ(printable("\xf5\x80\x80\x80"), "????");
}

}  // namespace
}  // namespace holdfast
