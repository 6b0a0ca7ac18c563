// SPDX-License-Identifier: Apache-2.0

#include "engines/etcd/keys_in_use.h"

#include <gtest/gtest.h>

namespace holdfast::etcd {
namespace {

constexpr std::int64_t kOld = 7;
constexpr std::int64_t kNew = 8;

TEST(EtcdKeysInUse, AKeyIsOfOneClaimAtATime) {
  KeysInUse keys;
  EXPECT_TRUE(keys.take(kOld, "a/7"));
  EXPECT_FALSE(keys.take(kOld, "a/7"));
  EXPECT_TRUE(keys.take(kOld, "b/7"));
  keys.give_back(kOld, "a/7");
  EXPECT_TRUE(keys.take(kOld, "a/7"));
}

// One thread learns that the lease has ended and reports it late; meanwhile another one
// has taken a key of the next lease.
TEST(EtcdKeysInUse, TheEndOfALeaseLeavesTheKeysOfTheNextAlone) {
  KeysInUse keys;
  ASSERT_TRUE(keys.take(kOld, "a/7"));
  ASSERT_TRUE(keys.take(kNew, "a/8"));
  keys.lease_ended(kOld);
  EXPECT_FALSE(keys.take(kNew, "a/8")) << "two claims would have one key and one token";
  EXPECT_TRUE(keys.take(kOld, "a/7"));
}

TEST(EtcdKeysInUse, WhatIsGivenBackAfterItsLeaseIsNothingOfTheNext) {
  KeysInUse keys;
  ASSERT_TRUE(keys.take(kOld, "a/7"));
  ASSERT_TRUE(keys.take(kNew, "a/8"));
  keys.lease_ended(kOld);
  keys.give_back(kOld, "a/7");
  EXPECT_FALSE(keys.take(kNew, "a/8"));
}

}  // namespace
}  // namespace holdfast::etcd
