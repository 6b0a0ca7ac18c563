// SPDX-License-Identifier: Apache-2.0

#include "engines/zookeeper/children.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace holdfast::zookeeper {
namespace {

using engine::Kind;
using engine::Mode;
using testing::ElementsAreArray;

constexpr std::string_view kId = "f47ac10b-58cc-4372-a567-0e02b2c3d479";

std::string child(std::string_view base, std::string_view sequence) {
  return protection(kId).append(base).append(sequence);
}

TEST(ZookeeperChildrenTest, AreOrderedByWhatFollowsTheLastBaseName) {
  EXPECT_EQ(order_of(child("lock-", "0000000007")), "0000000007");
  EXPECT_EQ(order_of(child("__READ__", "0000000001")), "0000000001");
  EXPECT_EQ(order_of(child("__WRIT__", "0000000001")), "0000000001");
  EXPECT_EQ(order_of(child("latch-", "0000000001")), "0000000001");
  EXPECT_EQ(order_of("lock-lock-3"), "3");
  EXPECT_EQ(order_of("lock-"), "");
  EXPECT_EQ(order_of("0"), "0");
  EXPECT_EQ(order_of(""), "");
}

TEST(ZookeeperChildrenTest, AreOrderedAsText) {
  const std::vector<std::string> right{
      child("lock-", "-2147483647"),
      child("lock-", "-2147483648"),
      "0",
      child("lock-", "0000000002"),
      child("lock-", "0000000010"),
      child("lock-", "2147483647"),
      "stranger",
  };
  std::vector<std::string> children = right;
  std::ranges::reverse(children);
  put_in_order(children);
  EXPECT_THAT(children, ElementsAreArray(right));
}

TEST(ZookeeperChildrenTest, EqualOnesKeepTheirOrder) {
  std::vector<std::string> children{child("__WRIT__", "0000000004"),
                                    child("__READ__", "0000000004"),
                                    child("__READ__", "0000000003")};
  put_in_order(children);
  EXPECT_EQ(children[0], child("__READ__", "0000000003"));
  EXPECT_EQ(children[1], child("__WRIT__", "0000000004"));
}

TEST(ZookeeperChildrenTest, ProtectionIsAllOrNothing) {
  EXPECT_EQ(protection(kId), "_c_f47ac10b-58cc-4372-a567-0e02b2c3d479-");
  EXPECT_EQ(protection_of(child("lock-", "0000000000")), protection(kId));
  for (const std::string& other :
       {std::string(), std::string("_c_"), std::string("lock-0000000000"),
        std::string(protection(kId)),  // nothing follows it
        std::string("_c_f47ac10b58cc4372a5670e02b2c3d479-lock-0000000000"),
        std::string("_c_f47ac10b-58cc-4372-a567-0e02b2c3d479_lock-0000000000"),
        std::string("_c_g47ac10b-58cc-4372-a567-0e02b2c3d479-lock-0000000000"),
        "x" + child("lock-", "0000000000")}) {
    EXPECT_EQ(protection_of(other), "") << other;
  }
}

TEST(ZookeeperChildrenTest, TheEndOfTheNumbersIsSeen) {
  EXPECT_EQ(sequence_of(child("lock-", "0000000012")), 12);
  EXPECT_EQ(sequence_of(child("lock-", "-2147483648")), -2147483648);
  EXPECT_EQ(sequence_of(child("lock-", "")), std::nullopt);
  EXPECT_EQ(sequence_of(child("lock-", "12x")), std::nullopt);
  EXPECT_EQ(sequence_of("0000000012"), std::nullopt);
  EXPECT_EQ(sequence_of(child("lock-", "99999999999999999999")), std::nullopt);
  for (const char* fine : {"0000000000", "2000000000"}) {
    EXPECT_FALSE(is_wrapped(child("lock-", fine))) << fine;
  }
  for (const char* used_up :
       {"2147483646", "2147483647", "-2147483648", "-000000001"}) {
    EXPECT_TRUE(is_wrapped(child("lock-", used_up))) << used_up;
  }
}

TEST(ZookeeperChildrenTest, EveryKindKnowsItsOwn) {
  struct Row {
    Kind kind;
    Mode mode;
    NodeRole role;
    std::string_view base;
  };
  constexpr Row kRows[] = {
      {Kind::mutex, Mode::exclusive, NodeRole::lock, "lock-"},
      {Kind::fair_mutex, Mode::exclusive, NodeRole::lock, "lock-"},
      {Kind::semaphore, Mode::exclusive, NodeRole::lock, "lock-"},
      {Kind::shared_mutex, Mode::exclusive, NodeRole::write, "__WRIT__"},
      {Kind::shared_mutex, Mode::shared, NodeRole::read, "__READ__"},
      {Kind::election, Mode::exclusive, NodeRole::latch, "latch-"},
      {Kind::double_barrier, Mode::exclusive, NodeRole::member, ""},
  };
  for (const Row& row : kRows) {
    EXPECT_EQ(role_for(row.kind, row.mode), row.role);
    EXPECT_EQ(base_of(row.role), row.base);
    if (row.base.empty()) continue;
    EXPECT_EQ(role_of(child(row.base, "0000000001")), row.role) << row.base;
  }
  EXPECT_EQ(role_of(kId), NodeRole::member);
  EXPECT_EQ(role_of("ready"), NodeRole::ready);
  EXPECT_EQ(role_of("0123456789abcdef__lock__0000000001"), NodeRole::kazoo);
  EXPECT_EQ(role_of("0123456789abcdef__rlock__0000000001"), NodeRole::kazoo);
  for (const char* part : {"locks", "leases", "permits"}) {
    EXPECT_EQ(role_of(part), NodeRole::part) << part;
  }
}

TEST(ZookeeperChildrenTest, AStrangerMayBeAnywhereAndOursWhereItBelongs) {
  constexpr Kind kKinds[] = {Kind::mutex, Kind::shared_mutex, Kind::semaphore,
                             Kind::election, Kind::double_barrier};
  for (const Kind kind : kKinds) EXPECT_TRUE(belongs(NodeRole::other, kind));
  EXPECT_TRUE(belongs(NodeRole::lock, Kind::mutex));
  EXPECT_TRUE(belongs(NodeRole::lock, Kind::fair_mutex));
  EXPECT_FALSE(belongs(NodeRole::lock, Kind::shared_mutex));
  EXPECT_FALSE(belongs(NodeRole::read, Kind::mutex));
  EXPECT_FALSE(belongs(NodeRole::latch, Kind::mutex));
  EXPECT_FALSE(belongs(NodeRole::part, Kind::mutex));
  EXPECT_TRUE(belongs(NodeRole::ready, Kind::double_barrier));
}

}  // namespace
}  // namespace holdfast::zookeeper
