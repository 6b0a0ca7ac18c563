// SPDX-License-Identifier: Apache-2.0

#include "engines/etcd/register_text.h"

#include <gtest/gtest.h>

namespace holdfast::etcd {
namespace {

wire::KeyValue key_with(const std::string& value) {
  wire::KeyValue kv;
  kv.set_value(value);
  kv.set_mod_revision(7);
  return kv;
}

TEST(EtcdRegisterText, EveryFormatReadsWhatItWrites) {
  for (const RegisterFormat format :
       {RegisterFormat::counter, RegisterFormat::shared_count, RegisterFormat::latch}) {
    for (const std::int64_t number : {std::int64_t{0}, std::int64_t{-5}, INT64_MAX}) {
      const auto kv = key_with(register_text(format, number));
      const auto value = read_register(format, &kv);
      ASSERT_TRUE(value);
      EXPECT_EQ(value->number, number);
      EXPECT_EQ(value->version, 7u);
    }
  }
}

TEST(EtcdRegisterText, ACounterIsAPlainNumber) {
  EXPECT_EQ(register_text(RegisterFormat::counter, 42), "42");
}

TEST(EtcdRegisterText, NoKeyIsNoValue) {
  EXPECT_EQ(read_register(RegisterFormat::counter, nullptr)->version, 0u);
}

TEST(EtcdRegisterText, FormatsAreToldApart) {
  const auto counter = key_with("42");
  const auto latch = key_with("latch 3");
  EXPECT_FALSE(read_register(RegisterFormat::latch, &counter));
  EXPECT_FALSE(read_register(RegisterFormat::shared_count, &latch));
  EXPECT_FALSE(read_register(RegisterFormat::barrier, &counter));
}

TEST(EtcdRegisterText, ABarrierIsWhateverElseIsThere) {
  for (const char* const text : {"", "held by a peer", "42 cats"}) {
    const auto kv = key_with(text);
    ASSERT_TRUE(read_register(RegisterFormat::barrier, &kv)) << text;
    EXPECT_EQ(read_register(RegisterFormat::barrier, &kv)->number, 1);
  }
}

TEST(EtcdRegisterText, WhatDoesNotFitIsNoNumber) {
  for (const char* const text :
       {"", " 1", "1 ", "+1", "0x10", "9223372036854775808", "1e3", "latch"}) {
    const auto kv = key_with(text);
    EXPECT_FALSE(read_register(RegisterFormat::counter, &kv)) << text;
  }
}

}  // namespace
}  // namespace holdfast::etcd
