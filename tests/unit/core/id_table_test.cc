// SPDX-License-Identifier: Apache-2.0

#include "core/id_table.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace holdfast::core {
namespace {

TEST(IdTableTest, FindsWhatIsThere) {
  IdTable<int> table;
  table.insert(1, 10);
  table.insert(5, 50);
  table.insert(3, 30);  // not in order
  ASSERT_NE(table.find(3), nullptr);
  EXPECT_EQ(*table.find(3), 30);
  EXPECT_EQ(table.find(2), nullptr);
  table.erase(3);
  table.erase(3);
  EXPECT_EQ(table.find(3), nullptr);
  EXPECT_EQ(table.size(), 2u);
}

TEST(IdTableTest, AgreesWithAMap) {
  std::minstd_rand random(7);
  IdTable<int> table;
  std::map<std::uint64_t, int> model;
  for (std::uint64_t id = 1; id < 5000; ++id) {
    table.insert(id, static_cast<int>(id));
    model[id] = static_cast<int>(id);
    const std::uint64_t victim = random() % id + 1;
    table.erase(victim);
    model.erase(victim);
  }
  EXPECT_EQ(table.size(), model.size());
  auto expected = model.begin();
  table.each([&](std::uint64_t id, int& value) {
    ASSERT_NE(expected, model.end());
    EXPECT_EQ(id, expected->first);
    EXPECT_EQ(value, (expected++)->second);
  });
  EXPECT_EQ(expected, model.end());
}

}  // namespace
}  // namespace holdfast::core
