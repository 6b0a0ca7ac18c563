#include "engines/zookeeper/cell.h"

#include <gtest/gtest.h>

#include <limits>

namespace holdfast::zookeeper {
namespace {

constexpr std::int64_t kSmallest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();

Answer node(std::string data, int version = 3, int cversion = 0, int children = 0) {
  Answer answer;
  answer.text = std::move(data);
  answer.stat.version = version;
  answer.stat.cversion = cversion;
  answer.stat.numChildren = children;
  answer.stat.mzxid = 77;
  answer.stat.dataLength = static_cast<std::int32_t>(answer.text.size());
  return answer;
}

Answer no_node() {
  Answer answer;
  answer.code = ZNONODE;
  return answer;
}

// What is in the node after `number` was written over `before`.
std::string written(Layout layout, const Answer& before, std::int64_t number) {
  const auto cell = read_cell(layout, before);
  const auto ops = write_cell(layout, cell.value(), "/n", number, "tag", "note");
  return ops.at(0).data;
}

TEST(ZookeeperCellTest, NumbersComeBack) {
  for (const std::int64_t number :
       {std::int64_t{0}, std::int64_t{258}, std::int64_t{-2}, kSmallest, kLargest}) {
    const std::string data = written(Layout::counter, no_node(), number);
    EXPECT_EQ(data.size(), 8u);
    const auto cell = read_cell(Layout::counter, node(data));
    ASSERT_TRUE(cell);
    EXPECT_TRUE(cell->there);
    EXPECT_EQ(cell->number, number);
  }
  EXPECT_EQ(written(Layout::counter, no_node(), 258),
            std::string("\0\0\0\0\0\0\1\2", 8));
  EXPECT_EQ(written(Layout::shared_count, no_node(), -2), "\xff\xff\xff\xfe");
}

TEST(ZookeeperCellTest, ACounterOfFourBytesStaysSo) {
  const Answer four = node(std::string("\0\0\0\7", 4));
  const auto cell = read_cell(Layout::counter, four).value();
  EXPECT_EQ(cell.number, 7);
  EXPECT_EQ(written(Layout::counter, four, -1), "\xff\xff\xff\xff");
  EXPECT_TRUE(fits(Layout::counter, cell, std::numeric_limits<std::int32_t>::max()));
  EXPECT_FALSE(fits(Layout::counter, cell, std::int64_t{1} << 31));
  EXPECT_TRUE(fits(Layout::counter, Cell(), kLargest));
  EXPECT_FALSE(fits(Layout::shared_count, Cell(), std::int64_t{1} << 31));
  EXPECT_TRUE(fits(Layout::shared_count, Cell(), -(std::int64_t{1} << 31)));
}

TEST(ZookeeperCellTest, SomethingElseIsTold) {
  for (const std::size_t size : {1, 2, 3, 5, 6, 7, 9, 1000}) {
    EXPECT_FALSE(read_cell(Layout::counter, node(std::string(size, 'x')))) << size;
  }
  for (const std::size_t size : {1, 2, 3, 5, 8, 1000}) {
    EXPECT_FALSE(read_cell(Layout::shared_count, node(std::string(size, 'x')))) << size;
  }
  for (const char* text : {"latch", "latch ", "latch 3", "latch 3 ", "latch x t",
                           "latch 3 a/b", "latch 99999999999999999999 t", "12345678"}) {
    EXPECT_FALSE(read_cell(Layout::latch, node(text))) << text;
  }
  EXPECT_FALSE(read_cell(Layout::barrier, node(std::string("\0\0\0\0\0\0\0\1", 8))));
  EXPECT_FALSE(read_cell(Layout::counter, node("", 0, 2, 1))) << "a directory in use";
}

TEST(ZookeeperCellTest, AbsentAndEmptyHoldNothing) {
  for (const Layout layout :
       {Layout::counter, Layout::shared_count, Layout::barrier, Layout::latch}) {
    const auto absent = read_cell(layout, no_node());
    ASSERT_TRUE(absent);
    EXPECT_FALSE(absent->there);
    EXPECT_EQ(absent->value().version, 0u);
    const auto leftover = read_cell(layout, node("", 0, 2));
    ASSERT_TRUE(leftover);
    EXPECT_TRUE(leftover->leftover) << "an empty directory";
    EXPECT_FALSE(leftover->there);
  }
  const auto empty = read_cell(Layout::counter, node(""));
  ASSERT_TRUE(empty);
  EXPECT_FALSE(empty->there);
}

TEST(ZookeeperCellTest, ABarrierIsWhateverPeersWrote) {
  for (const char* data : {"", "127.0.0.1", "10.0.0.1", "host:42:program"}) {
    const auto cell = read_cell(Layout::barrier, node(data, 0));
    ASSERT_TRUE(cell) << data;
    EXPECT_TRUE(cell->there);
    EXPECT_EQ(cell->number, 1);
  }
}

TEST(ZookeeperCellTest, ANumberThatWasErasedIsNeitherABarrierNorALatch) {
  for (const Layout layout : {Layout::barrier, Layout::latch}) {
    const auto cell = read_cell(layout, node("", 2));
    ASSERT_TRUE(cell);
    EXPECT_FALSE(cell->there);
    EXPECT_TRUE(cell->leftover);
  }
}

TEST(ZookeeperCellTest, ChangesHangOnTheVersion) {
  const auto seen = read_cell(Layout::counter, node(std::string(8, '\0'), 5)).value();
  const auto ops = write_cell(Layout::counter, seen, "/n", 1, {}, {});
  ASSERT_EQ(ops.size(), 1u);
  EXPECT_EQ(ops[0].what, Op::What::set);
  EXPECT_EQ(ops[0].version, 5);
  const auto fresh = write_cell(Layout::counter, Cell(), "/n", 1, {}, {});
  ASSERT_EQ(fresh.size(), 1u);
  EXPECT_EQ(fresh[0].what, Op::What::create) << "which fails when somebody was faster";
}

TEST(ZookeeperCellTest, ALatchMadeAnewIsNotTheOldOne) {
  const auto made = write_cell(Layout::latch, Cell(), "/l", 3, "tag", {});
  ASSERT_EQ(made.size(), 2u);
  EXPECT_EQ(made[0].data, "latch 3 tag");
  EXPECT_EQ(made[1].path, "/l/tag");
  const auto seen = read_cell(Layout::latch, node("latch 3 old", 2, 1, 1)).value();
  EXPECT_EQ(seen.number, 3);
  const auto change = write_cell(Layout::latch, seen, "/l", 2, "new", {});
  ASSERT_EQ(change.size(), 2u);
  EXPECT_EQ(change[0].what, Op::What::check);
  EXPECT_EQ(change[0].path, "/l/old");
  EXPECT_EQ(change[1].data, "latch 2 old");
  EXPECT_EQ(change[1].version, 2);
  const auto gone = write_cell(Layout::latch, seen, "/l", std::nullopt, "new", {});
  ASSERT_EQ(gone.size(), 2u);
  EXPECT_EQ(gone[0].path, "/l/old");
  EXPECT_EQ(gone[1].path, "/l");
}

}  // namespace
}  // namespace holdfast::zookeeper
