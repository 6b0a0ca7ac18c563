// SPDX-License-Identifier: Apache-2.0

#include "holdfast/holder.h"

#include <gtest/gtest.h>

namespace holdfast {
namespace {

TEST(HolderTest, ReadsAProcess) {
  const Holder holder = read_holder("web-07:4121:report.sh --all");
  EXPECT_EQ(holder.text, "web-07:4121:report.sh --all");
  EXPECT_EQ(holder.host, "web-07");
  EXPECT_EQ(holder.pid, 4121U);
  EXPECT_EQ(holder.program, "report.sh --all");
  EXPECT_EQ(holder.thread + holder.function + holder.description, "");
}

TEST(HolderTest, LeavesForeignPayloadsAsTheyAre) {
  for (const std::string text :
       {"", "10.0.0.7:6379", "a7f3-11:42", "host::program", "host:12x:program",
        "host:99999999999999999999999:x", "anything #thread", " #"}) {
    const Holder holder = read_holder(text);
    EXPECT_EQ(holder.text, text);
    EXPECT_EQ(holder.host, "");
    EXPECT_EQ(holder.pid, 0U);
    EXPECT_EQ(holder.description, "");
    EXPECT_EQ(write_holder(holder), text);
  }
}

TEST(HolderTest, ReadsWhatItWrote) {
  Holder written;
  written.text = "web-07:4121:report";
  written.thread = "worker 4122";
  written.function = "restock at stock.cc:42";
  written.description = "nightly #thread run #function of it";
  const Holder read = read_holder(write_holder(written));
  EXPECT_EQ(read.text, written.text);
  EXPECT_EQ(read.host, "web-07");
  EXPECT_EQ(read.program, "report");
  EXPECT_EQ(read.thread, written.thread);
  EXPECT_EQ(read.function, written.function);
  EXPECT_EQ(read.description, written.description);

  written.thread.clear();
  written.function.clear();
  EXPECT_EQ(write_holder(written),
            "web-07:4121:report #description nightly #thread run #function of it");
}

TEST(HolderTest, FitsIntoWhatEveryEngineHasRoomFor) {
  Holder holder;
  holder.text = "web-07:4121:report";
  holder.function = std::string(300, 'f');
  for (int i = 0; i < 300; ++i) holder.description += "\xc3\xbc";
  const std::string payload = write_holder(holder);
  EXPECT_LE(payload.size(), 256U);
  EXPECT_GE(payload.size(), 254U);
  EXPECT_EQ(printable(payload), payload) << "a character was cut in half";
  EXPECT_FALSE(read_holder(payload).description.empty());

  holder.text = std::string(300, 'x');
  EXPECT_EQ(write_holder(holder), holder.text) << "the user's own text was cut";
}

TEST(HolderTest, HasNoControlCharacters) {
  Holder holder;
  holder.text = "h:1:p";
  holder.description = "a\nb\x1b[31m";
  EXPECT_EQ(write_holder(holder), "h:1:p #description a?b?[31m");
}

TEST(HolderTest, SaysTheCircumstances) {
  EXPECT_EQ(circumstances(read_holder("h:1:p")), "");
  EXPECT_EQ(circumstances(read_holder("h:1:p #description nightly\x1b run")),
            "for \"nightly? run\"");
  EXPECT_EQ(circumstances(read_holder("h:1:p #thread w 2 #function f #description d")),
            "thread w 2, in f, for \"d\"");
}

}  // namespace
}  // namespace holdfast
