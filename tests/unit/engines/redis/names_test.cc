// SPDX-License-Identifier: Apache-2.0

#include "engines/redis/names.h"

#include <gtest/gtest.h>

#include <string>

namespace holdfast::redis {
namespace {

struct NameRow {
  Part part;
  const char* plain;   // the key of the name "orders"
  const char* braced;  // the key of the name "{app}orders"
};

constexpr KeyPrefixes kTestPrefixes{.lock = "", .channel = "redisson_lock__channel"};

// Redisson adds no braces to a name that has some. Our own keys then have a second
// colon, because "a" and "{a}" are two names.
TEST(RedisNames, AreRedissonsAndShareAHashSlot) {
  constexpr NameRow kRows[] = {
      {Part::lock, "orders", "{app}orders"},
      {Part::record, "holdfast:{orders}:me", "holdfast::{app}orders:me"},
      {Part::queue, "holdfast_queue:{orders}", "holdfast_queue::{app}orders"},
      {Part::holders, "holdfast_holders:{orders}", "holdfast_holders::{app}orders"},
      {Part::token, "redisson_lock_token:{orders}", "redisson_lock_token:{app}orders"},
      {Part::channel, "redisson_lock__channel:{orders}",
       "redisson_lock__channel:{app}orders"},
      {Part::fair_queue, "redisson_lock_queue:{orders}",
       "redisson_lock_queue:{app}orders"},
      {Part::fair_timeouts, "redisson_lock_timeout:{orders}",
       "redisson_lock_timeout:{app}orders"},
      {Part::permit_timeouts, "{orders}:timeout", "{app}orders:timeout"},
      {Part::reader_timeout, "{orders}:me:rwlock_timeout:1",
       "{app}orders:me:rwlock_timeout:1"},
  };
  for (const NameRow& row : kRows) {
    EXPECT_EQ(KeyNames(kTestPrefixes, "orders").text(row.part, "me"), row.plain);
    EXPECT_EQ(KeyNames(kTestPrefixes, "{app}orders").text(row.part, "me"), row.braced);
  }
}

TEST(RedisNames, AKeyIsAddedAsItIsSpelt) {
  const KeyNames names(kTestPrefixes, "orders");
  Invocation by_parts(scripts::lock_drop);
  Invocation by_text(scripts::lock_drop);
  for (const Part part :
       {Part::lock, Part::record, Part::channel, Part::reader_timeout}) {
    names.add_key(by_parts, part, "me");
    by_text.key(names.text(part, "me"));
  }
  std::string with_parts;
  std::string with_text;
  by_parts.write(with_parts);
  by_text.write(with_text);
  EXPECT_EQ(with_parts, with_text);
}

TEST(RedisNames, ALockWithAPrefixIsOurOwnKey) {
  constexpr KeyPrefixes kOurs{.lock = "holdfast_barrier", .channel = "c"};
  EXPECT_EQ(KeyNames(kOurs, "a").text(Part::lock), "holdfast_barrier:{a}");
  EXPECT_EQ(KeyNames(kOurs, "{a}").text(Part::lock), "holdfast_barrier::{a}");
}

TEST(RedisNames, TheChannelOfALatchHasBracesAroundEveryName) {
  constexpr KeyPrefixes kLatch{.lock = "",
                               .channel = "redisson_countdownlatch__channel__"};
  EXPECT_EQ(KeyNames(kLatch, "a").text(Part::channel),
            "redisson_countdownlatch__channel__{a}");
  EXPECT_EQ(KeyNames(kLatch, "{a}").text(Part::channel),
            "redisson_countdownlatch__channel__{{a}}");
}

TEST(RedisNames, APrefixIsWhatTheKeysOfAllOwnersStartWith) {
  for (const char* const name : {"orders", "{app}orders"}) {
    const KeyNames names(kTestPrefixes, name);
    EXPECT_EQ(names.record_prefix() + "me", names.text(Part::record, "me"));
    EXPECT_EQ(names.timeout_prefix() + "me:rwlock_timeout:1",
              names.text(Part::reader_timeout, "me"));
  }
}

TEST(RedisNames, TheKeysOfANameShareASlotUnlessItsBracesAreOdd) {
  const KeyPrefixes latch{.lock = "", .channel = "redisson_countdownlatch__channel__"};
  for (const char* const name : {"orders", "{app}orders", "a{b}c{d}", "a{b}}"}) {
    EXPECT_TRUE(KeyNames(kTestPrefixes, name).slot()) << name;
  }
  for (const char* const name : {"a{b", "a{}b", "a}b", "}", "a}b{"}) {
    EXPECT_FALSE(KeyNames(kTestPrefixes, name).slot()) << name;
  }
  EXPECT_TRUE(KeyNames(latch, "orders").slot());
  EXPECT_FALSE(KeyNames(latch, "{app}orders").slot());
  EXPECT_EQ(KeyNames(kTestPrefixes, "{app}orders").slot(), slot_of("app"));
  EXPECT_EQ(KeyNames(kTestPrefixes, "{app}orders").text(Part::no_key),
            "holdfast_none::{app}orders");
}

}  // namespace
}  // namespace holdfast::redis
