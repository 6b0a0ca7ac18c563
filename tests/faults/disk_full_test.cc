// SPDX-License-Identifier: Apache-2.0

// A full disk is an error and never a SIGBUS, and the names that exist stay usable.

#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "faults/segment_files.h"
#include "support/small_disk.h"
#include "support/victim.h"

namespace holdfast::test {
namespace {

TEST(DiskFull, BeforeTheSegmentIsMade) {
  const SmallDisk disk("64k");
  if (!disk) GTEST_SKIP() << "cannot mount: " << std::strerror(errno);
  EXPECT_TRUE(refused(disk.file("segment"), Errc::full));
}

TEST(DiskFull, WhileNamesAreAdded) {
  const SmallDisk disk("2m");
  if (!disk) GTEST_SKIP() << "cannot mount: " << std::strerror(errno);
  const std::string url = "local://" + disk.file("segment");
  Victim holder(url);
  ASSERT_EQ(holder.ask("lock kept"), "ok");
  Victim hungry(url);
  const std::string answer = hungry.ask("names 100000 n/");
  EXPECT_TRUE(is_error(answer, Errc::full)) << answer;
  EXPECT_EQ(hungry.ask("names 100 n/"), "ok 100") << "the room was not given back";
  EXPECT_TRUE(is_error(hungry.ask("try kept"), Errc::timed_out));
  EXPECT_EQ(holder.ask("valid"), "ok yes");
  EXPECT_EQ(holder.ask("unlock"), "ok");
  EXPECT_EQ(hungry.ask("try kept"), "ok");
}

}  // namespace
}  // namespace holdfast::test
