// SPDX-License-Identifier: Apache-2.0

#include "support/journal.h"

#include <gtest/gtest.h>

#include <fstream>

#include "support/temp_dir.h"

namespace holdfast::test {
namespace {

class JournalTest : public testing::Test {
 protected:
  void raw(std::uint64_t half) {
    std::ofstream(path_, std::ios::binary | std::ios::app)
        .write(reinterpret_cast<const char*>(&half), sizeof half);
  }

  TempDir dir_;
  const std::string path_ = dir_.file("journal");
};

TEST_F(JournalTest, OfGoodWritersIsWithoutFault) {
  Journal(path_).append({10});
  Journal(path_).append({12});
  const auto audit = Journal(path_).audit();
  EXPECT_EQ(audit.fault, "");
  EXPECT_EQ(audit.records, 2u);
  EXPECT_EQ(audit.repaired, 0u);
}

TEST_F(JournalTest, CompletesWhatADeadWriterBegan) {
  Journal(path_).append({10});
  raw(2);
  Journal(path_).append({12});
  const auto audit = Journal(path_).audit();
  EXPECT_EQ(audit.fault, "");
  EXPECT_EQ(audit.records, 3u);
  EXPECT_EQ(audit.repaired, 1u);
}

TEST_F(JournalTest, ShowsTwoWritersAtOnce) {
  raw(1);
  raw(1);
  raw(10);
  raw(11);
  EXPECT_NE(Journal(path_).audit().fault, "");
}

TEST_F(JournalTest, ShowsALostUpdate) {
  raw(1);
  raw(10);
  raw(1);
  raw(11);
  EXPECT_NE(Journal(path_).audit().fault, "");
}

TEST_F(JournalTest, ShowsAStaleToken) {
  Journal(path_).append({10});
  Journal(path_).append({10});
  EXPECT_NE(Journal(path_).audit().fault, "");
}

}  // namespace
}  // namespace holdfast::test
