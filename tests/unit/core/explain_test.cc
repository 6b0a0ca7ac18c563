// SPDX-License-Identifier: Apache-2.0

#include "core/explain.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "holdfast/admin.h"
#include "holdfast/holder.h"

namespace holdfast::core {
namespace {

ResourceState waited_for_by(std::string payload) {
  ResourceState state;
  state.address = {engine::Kind::fair_mutex, "a"};
  engine::Entry& waiter = state.waiters.emplace_back();
  waiter.owner = "client 7";
  waiter.payload = std::move(payload);
  return state;
}

TEST(ExplainTest, ShowsNothingOfAWaiterThatCouldControlATerminal) {
  EXPECT_EQ(describe_use(waited_for_by("\x1b[2Jpay\n")),
            "\"a\" is in use as a fair mutex, awaited by ?[2Jpay?");
}

TEST(ExplainTest, SaysForWhatAWaiterWaits) {
  Holder shop;
  shop.text = "shop-7";
  shop.thread = "worker 4";
  shop.description = "restock";
  EXPECT_EQ(describe_use(waited_for_by(write_holder(shop))),
            "\"a\" is in use as a fair mutex, awaited by shop-7, thread worker 4, for "
            "\"restock\"");
  EXPECT_EQ(describe_use(waited_for_by("")),
            "\"a\" is in use as a fair mutex, awaited by client 7");
}

}  // namespace
}  // namespace holdfast::core
