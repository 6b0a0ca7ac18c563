// SPDX-License-Identifier: Apache-2.0

// A segment whose indexes lead nowhere gives an error and no crash. The calls are made
// in the process of a victim, so that a crash fails the test and does not end it.

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <functional>
#include <random>
#include <string>

#include "faults/segment_map.h"
#include "support/temp_dir.h"
#include "support/victim.h"

namespace holdfast::test {
namespace {

class Damage : public testing::Test {
 protected:
  // Expects answers from a victim that knew the name before the damage, and from one
  // that opens the segment afterwards.
  void expect_answered(const std::function<void(const SegmentMap&)>& damage) {
    Victim before(url_);
    ASSERT_EQ(before.ask("claim shared_mutex s shared 1 0"), "ok");
    damage(SegmentMap(path_));
    before.tell("drop");
    EXPECT_NE(before.answer(), "") << "the victim crashed";
    Victim after;
    EXPECT_NE(after.ask("open " + url_), "") << "the victim crashed";
    EXPECT_NE(after.ask("try m"), "") << "the victim crashed";
  }

  TempDir dir_;
  const std::string path_ = dir_.file("segment");
  const std::string url_ = "local://" + path_;
};

// These lie behind the end of the file, of the mapping, and of the largest segment.
constexpr std::array<local::BlockIndex, 3> kNowhere{0x000f0000, 0x00ffffff, 0xfffffff0};

TEST_F(Damage, InTheListOfClaims) {
  for (const auto index : kNowhere) {
    expect_answered([&](const SegmentMap& segment) {
      segment.at<local::ClaimCell>(segment.record("s").first.load()).next.store(index);
    });
    std::filesystem::remove(path_);
  }
}

TEST_F(Damage, InARecord) {
  for (const auto index : kNowhere) {
    expect_answered([&](const SegmentMap& segment) {
      auto& record = segment.record("s");
      record.value.store(index);
      record.watches.store(index);
      record.last.store(index);
    });
    std::filesystem::remove(path_);
  }
}

TEST_F(Damage, InTheChainsOfNamesAndTheFreeLists) {
  for (const auto index : kNowhere) {
    expect_answered([&](const SegmentMap& segment) {
      for (local::BlockIndex i = 0; i < local::kBuckets; ++i)
        segment.bucket(i).store(index);
      for (auto& head : segment.header().free) head.store(index);
    });
    std::filesystem::remove(path_);
  }
}

TEST_F(Damage, InTheOwnersAndShapesOfBlocks) {
  expect_answered([&](const SegmentMap& segment) {
    segment.each([](local::Block& block) { block.owner.store(0xffff); });
    auto& record = segment.record("s");
    record.name_bytes = 0xffff;
    segment.at<local::Block>(record.first.load())
        .shape.store(static_cast<local::Shape>(200));
  });
}

// A user who shares the file may write anything into it. Other users may then wait in
// vain, but nothing leads them out of the file.
TEST_F(Damage, ByRandomWordsEverywhere) {
  constexpr unsigned kRounds = 25;
  constexpr int kWords = 400;
  const auto soon = scaled(std::chrono::milliseconds(50));
  for (unsigned round = 0; round < kRounds; ++round) {
    std::mt19937 random(round);
    Victim victim(url_);
    ASSERT_EQ(victim.ask("claim shared_mutex s shared 1 0"), "ok");
    {
      const SegmentMap segment(path_);
      const auto end = segment.header().used.load();
      for (int i = 0; i < kWords; ++i) {
        // Most words are in the blocks, and most numbers are small, so that they lead
        // to other blocks.
        const auto index = static_cast<local::BlockIndex>(
            i % 8 == 0 ? random() % end
                       : local::kFirstBlock + random() % (end - local::kFirstBlock));
        const auto word = random() % (local::kUnitBytes / 4);
        const auto number = random() >> (random() % 32);
        (&segment.at<std::uint32_t>(index))[word] = static_cast<std::uint32_t>(number);
      }
    }
    for (const char* command :
         {"drop", "try s", "try m", "use counter c", "do add 1"}) {
      if (victim.ask(command, soon).empty()) break;
    }
    EXPECT_EQ(victim.process().wait(std::chrono::milliseconds(0)), std::nullopt)
        << "it died in round " << round;
    std::filesystem::remove(path_);
  }
}

}  // namespace
}  // namespace holdfast::test
