// SPDX-License-Identifier: Apache-2.0

#include "engines/zookeeper/stored_register.h"

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

// The content of the node after `number` was written over `before`.
std::string written(RegisterFormat format, const Answer& before, std::int64_t number) {
  const auto stored = read_register(format, before);
  const auto ops = register_ops(format, stored.value(), "/n", number, "tag", "note");
  return ops.at(0).data;
}

TEST(ZookeeperStoredRegisterTest, NumbersComeBack) {
  for (const std::int64_t number :
       {std::int64_t{0}, std::int64_t{258}, std::int64_t{-2}, kSmallest, kLargest}) {
    const std::string data = written(RegisterFormat::counter, no_node(), number);
    EXPECT_EQ(data.size(), 8u);
    const auto stored = read_register(RegisterFormat::counter, node(data));
    ASSERT_TRUE(stored);
    EXPECT_TRUE(stored->has_number);
    EXPECT_EQ(stored->number, number);
  }
  EXPECT_EQ(written(RegisterFormat::counter, no_node(), 258),
            std::string("\0\0\0\0\0\0\1\2", 8));
  EXPECT_EQ(written(RegisterFormat::shared_count, no_node(), -2), "\xff\xff\xff\xfe");
}

TEST(ZookeeperStoredRegisterTest, ACounterOfFourBytesStaysSo) {
  const Answer four = node(std::string("\0\0\0\7", 4));
  const auto stored = read_register(RegisterFormat::counter, four).value();
  EXPECT_EQ(stored.number, 7);
  EXPECT_EQ(written(RegisterFormat::counter, four, -1), "\xff\xff\xff\xff");
  EXPECT_TRUE(
      fits(RegisterFormat::counter, stored, std::numeric_limits<std::int32_t>::max()));
  EXPECT_FALSE(fits(RegisterFormat::counter, stored, std::int64_t{1} << 31));
  EXPECT_TRUE(fits(RegisterFormat::counter, StoredRegister(), kLargest));
  EXPECT_FALSE(
      fits(RegisterFormat::shared_count, StoredRegister(), std::int64_t{1} << 31));
  EXPECT_TRUE(
      fits(RegisterFormat::shared_count, StoredRegister(), -(std::int64_t{1} << 31)));
}

TEST(ZookeeperStoredRegisterTest, SomethingElseIsTold) {
  for (const std::size_t size : {1, 2, 3, 5, 6, 7, 9, 1000}) {
    EXPECT_FALSE(read_register(RegisterFormat::counter, node(std::string(size, 'x'))))
        << size;
  }
  for (const std::size_t size : {1, 2, 3, 5, 8, 1000}) {
    EXPECT_FALSE(
        read_register(RegisterFormat::shared_count, node(std::string(size, 'x'))))
        << size;
  }
  for (const char* text : {"latch", "latch ", "latch 3", "latch 3 ", "latch x t",
                           "latch 3 a/b", "latch 99999999999999999999 t", "12345678"}) {
    EXPECT_FALSE(read_register(RegisterFormat::latch, node(text))) << text;
  }
  EXPECT_FALSE(
      read_register(RegisterFormat::barrier, node(std::string("\0\0\0\0\0\0\0\1", 8))));
  EXPECT_FALSE(read_register(RegisterFormat::counter, node("", 0, 2, 1)))
      << "a directory in use";
}

TEST(ZookeeperStoredRegisterTest, AbsentAndEmptyHoldNothing) {
  for (const RegisterFormat format :
       {RegisterFormat::counter, RegisterFormat::shared_count, RegisterFormat::barrier,
        RegisterFormat::latch}) {
    const auto absent = read_register(format, no_node());
    ASSERT_TRUE(absent);
    EXPECT_FALSE(absent->has_number);
    EXPECT_EQ(absent->value().version, 0u);
    const auto leftover = read_register(format, node("", 0, 2));
    ASSERT_TRUE(leftover);
    EXPECT_TRUE(leftover->leftover) << "an empty directory";
    EXPECT_FALSE(leftover->has_number);
  }
  const auto empty = read_register(RegisterFormat::counter, node(""));
  ASSERT_TRUE(empty);
  EXPECT_FALSE(empty->has_number);
}

TEST(ZookeeperStoredRegisterTest, ABarrierIsWhateverPeersWrote) {
  for (const char* data : {"", "127.0.0.1", "10.0.0.1", "host:42:program"}) {
    const auto stored = read_register(RegisterFormat::barrier, node(data, 0));
    ASSERT_TRUE(stored) << data;
    EXPECT_TRUE(stored->has_number);
    EXPECT_EQ(stored->number, 1);
  }
}

TEST(ZookeeperStoredRegisterTest, ANumberThatWasErasedIsNeitherABarrierNorALatch) {
  for (const RegisterFormat format : {RegisterFormat::barrier, RegisterFormat::latch}) {
    const auto stored = read_register(format, node("", 2));
    ASSERT_TRUE(stored);
    EXPECT_FALSE(stored->has_number);
    EXPECT_TRUE(stored->leftover);
  }
}

TEST(ZookeeperStoredRegisterTest, ChangesHangOnTheVersion) {
  const auto seen =
      read_register(RegisterFormat::counter, node(std::string(8, '\0'), 5)).value();
  const auto ops = register_ops(RegisterFormat::counter, seen, "/n", 1, {}, {});
  ASSERT_EQ(ops.size(), 1u);
  EXPECT_EQ(ops[0].type, Op::Type::set);
  EXPECT_EQ(ops[0].version, 5);
  const auto fresh =
      register_ops(RegisterFormat::counter, StoredRegister(), "/n", 1, {}, {});
  ASSERT_EQ(fresh.size(), 1u);
  EXPECT_EQ(fresh[0].type, Op::Type::create)
      << "which fails when another client was faster";
}

TEST(ZookeeperStoredRegisterTest, ALatchMadeAnewIsNotTheOldOne) {
  const auto made =
      register_ops(RegisterFormat::latch, StoredRegister(), "/l", 3, "tag", {});
  ASSERT_EQ(made.size(), 2u);
  EXPECT_EQ(made[0].data, "latch 3 tag");
  EXPECT_EQ(made[1].path, "/l/tag");
  const auto seen =
      read_register(RegisterFormat::latch, node("latch 3 old", 2, 1, 1)).value();
  EXPECT_EQ(seen.number, 3);
  const auto change = register_ops(RegisterFormat::latch, seen, "/l", 2, "new", {});
  ASSERT_EQ(change.size(), 2u);
  EXPECT_EQ(change[0].type, Op::Type::check);
  EXPECT_EQ(change[0].path, "/l/old");
  EXPECT_EQ(change[1].data, "latch 2 old");
  EXPECT_EQ(change[1].version, 2);
  const auto gone =
      register_ops(RegisterFormat::latch, seen, "/l", std::nullopt, "new", {});
  ASSERT_EQ(gone.size(), 2u);
  EXPECT_EQ(gone[0].path, "/l/old");
  EXPECT_EQ(gone[1].path, "/l");
}

}  // namespace
}  // namespace holdfast::zookeeper
