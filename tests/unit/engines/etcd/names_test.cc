// SPDX-License-Identifier: Apache-2.0

#include "engines/etcd/names.h"

#include <gtest/gtest.h>

namespace holdfast::etcd {
namespace {

using engine::Kind;

TEST(EtcdNames, ASlashDoesNotNest) {
  EXPECT_EQ(encode_name("orders/7"), "orders%2F7");
  EXPECT_EQ(encode_name("100%"), "100%25");
  EXPECT_EQ(encode_name("plain name"), "plain name");
}

TEST(EtcdNames, WhatWasEncodedIsFoundAgain) {
  for (const char* const name : {"a", "a/b", "%2F", "/", "ü €", "a%b/c"}) {
    EXPECT_EQ(decode_name(encode_name(name)), name);
  }
}

TEST(EtcdNames, NoNameIsSpeltInTwoWays) {
  EXPECT_FALSE(decode_name("%61"));
  EXPECT_FALSE(decode_name("%marks"));
  EXPECT_FALSE(decode_name("a%2f"));
  EXPECT_FALSE(decode_name(""));
}

TEST(EtcdNames, TheEndOfAPrefixIsBehindAllThatStartWithIt) {
  EXPECT_EQ(end_of("a/"), "a0");
  EXPECT_EQ(end_of("a\xff\xff"), "b");
  EXPECT_EQ(end_of("\xff"), std::string(1, '\0'));
  EXPECT_EQ(end_of(""), std::string(1, '\0'));
}

TEST(EtcdNames, ALeaseIsSpeltAsGoDoes) {
  EXPECT_EQ(hex(0x694d71ddacfda227), "694d71ddacfda227");
  EXPECT_EQ(hex(0xab), "ab");
  EXPECT_EQ(id_of(0xab, engine::Ticket{16}), "ab-10");
}

TEST(EtcdNames, AKeyHasOneRole) {
  EXPECT_EQ(role_of("694d71ddacfda227"), KeyRole::lock);
  EXPECT_EQ(role_of("read/1700000000"), KeyRole::read);
  EXPECT_EQ(role_of("write/1700000000"), KeyRole::write);
  EXPECT_EQ(role_of("claims/ab-1"), KeyRole::claim);
  EXPECT_EQ(role_of("permits"), KeyRole::permits);
  EXPECT_EQ(role_of("waiters/ab-1"), KeyRole::waiter);
  EXPECT_EQ(role_of("ready"), KeyRole::ready);
  EXPECT_EQ(role_of("read/a/b"), KeyRole::other);
  EXPECT_EQ(role_of("else/ab"), KeyRole::other);
}

TEST(EtcdNames, EachKindHasItsOwnRoles) {
  EXPECT_TRUE(belongs(KeyRole::lock, Kind::election));
  EXPECT_FALSE(belongs(KeyRole::lock, Kind::shared_mutex));
  EXPECT_TRUE(belongs(KeyRole::permits, Kind::semaphore));
  EXPECT_FALSE(belongs(KeyRole::permits, Kind::mutex));
  EXPECT_FALSE(belongs(KeyRole::other, Kind::mutex));
  EXPECT_FALSE(is_claim_key(KeyRole::permits));
  EXPECT_TRUE(is_claim_key(KeyRole::waiter));
}

}  // namespace
}  // namespace holdfast::etcd
