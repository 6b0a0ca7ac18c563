#include "engines/etcd/cell.h"

#include <gtest/gtest.h>

namespace holdfast::etcd {
namespace {

wire::KeyValue key_with(const std::string& value) {
  wire::KeyValue kv;
  kv.set_value(value);
  kv.set_mod_revision(7);
  return kv;
}

TEST(EtcdCell, EveryLayoutReadsWhatItWrites) {
  for (const Layout layout : {Layout::counter, Layout::shared_count, Layout::latch}) {
    for (const std::int64_t number : {std::int64_t{0}, std::int64_t{-5}, INT64_MAX}) {
      const auto kv = key_with(write_cell(layout, number));
      const auto value = read_cell(layout, &kv);
      ASSERT_TRUE(value);
      EXPECT_EQ(value->number, number);
      EXPECT_EQ(value->version, 7u);
    }
  }
}

TEST(EtcdCell, ACounterIsAPlainNumber) {
  EXPECT_EQ(write_cell(Layout::counter, 42), "42");
}

TEST(EtcdCell, NoKeyIsNoValue) {
  EXPECT_EQ(read_cell(Layout::counter, nullptr)->version, 0u);
}

TEST(EtcdCell, LayoutsAreToldApart) {
  const auto counter = key_with("42");
  const auto latch = key_with("latch 3");
  EXPECT_FALSE(read_cell(Layout::latch, &counter));
  EXPECT_FALSE(read_cell(Layout::shared_count, &latch));
  EXPECT_FALSE(read_cell(Layout::barrier, &counter));
}

TEST(EtcdCell, ABarrierIsWhateverElseIsThere) {
  for (const char* const text : {"", "held by a peer", "42 cats"}) {
    const auto kv = key_with(text);
    ASSERT_TRUE(read_cell(Layout::barrier, &kv)) << text;
    EXPECT_EQ(read_cell(Layout::barrier, &kv)->number, 1);
  }
}

TEST(EtcdCell, WhatDoesNotFitIsNoNumber) {
  for (const char* const text :
       {"", " 1", "1 ", "+1", "0x10", "9223372036854775808", "1e3", "latch"}) {
    const auto kv = key_with(text);
    EXPECT_FALSE(read_cell(Layout::counter, &kv)) << text;
  }
}

}  // namespace
}  // namespace holdfast::etcd
