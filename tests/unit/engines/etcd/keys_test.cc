#include "engines/etcd/keys.h"

#include <gtest/gtest.h>

namespace holdfast::etcd {
namespace {

using engine::Kind;

TEST(Keys, ASlashDoesNotNest) {
  EXPECT_EQ(encode_name("orders/7"), "orders%2F7");
  EXPECT_EQ(encode_name("100%"), "100%25");
  EXPECT_EQ(encode_name("plain name"), "plain name");
}

TEST(Keys, WhatWasEncodedIsFoundAgain) {
  for (const char* const name : {"a", "a/b", "%2F", "/", "ü €", "a%b/c"}) {
    EXPECT_EQ(decode_name(encode_name(name)), name);
  }
}

TEST(Keys, NobodySpellsANameInTwoWays) {
  EXPECT_FALSE(decode_name("%61"));
  EXPECT_FALSE(decode_name("%marks"));
  EXPECT_FALSE(decode_name("a%2f"));
  EXPECT_FALSE(decode_name(""));
}

TEST(Keys, TheEndOfAPrefixIsBehindAllThatStartWithIt) {
  EXPECT_EQ(end_of("a/"), "a0");
  EXPECT_EQ(end_of("a\xff\xff"), "b");
  EXPECT_EQ(end_of("\xff"), std::string(1, '\0'));
  EXPECT_EQ(end_of(""), std::string(1, '\0'));
}

TEST(Keys, ALeaseIsSpeltAsGoDoes) {
  EXPECT_EQ(hex(0x694d71ddacfda227), "694d71ddacfda227");
  EXPECT_EQ(hex(0xab), "ab");
  EXPECT_EQ(id_of(0xab, engine::Ticket{16}), "ab-10");
}

TEST(Keys, AreOfOneSort) {
  EXPECT_EQ(sort_of("694d71ddacfda227"), Sort::lock);
  EXPECT_EQ(sort_of("read/1700000000"), Sort::read);
  EXPECT_EQ(sort_of("write/1700000000"), Sort::write);
  EXPECT_EQ(sort_of("claims/ab-1"), Sort::claim);
  EXPECT_EQ(sort_of("permits"), Sort::permits);
  EXPECT_EQ(sort_of("waiters/ab-1"), Sort::waiter);
  EXPECT_EQ(sort_of("ready"), Sort::ready);
  EXPECT_EQ(sort_of("read/a/b"), Sort::other);
  EXPECT_EQ(sort_of("else/ab"), Sort::other);
}

TEST(Keys, EachKindHasItsOwnSorts) {
  EXPECT_TRUE(belongs(Sort::lock, Kind::election));
  EXPECT_FALSE(belongs(Sort::lock, Kind::shared_mutex));
  EXPECT_TRUE(belongs(Sort::permits, Kind::semaphore));
  EXPECT_FALSE(belongs(Sort::permits, Kind::mutex));
  EXPECT_FALSE(belongs(Sort::other, Kind::mutex));
  EXPECT_FALSE(is_place(Sort::permits));
  EXPECT_TRUE(is_place(Sort::waiter));
}

}  // namespace
}  // namespace holdfast::etcd
