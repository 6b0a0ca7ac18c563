// SPDX-License-Identifier: Apache-2.0

#include "base/ids.h"

#include <gtest/gtest.h>

#include <set>

namespace holdfast::base {
namespace {

TEST(IdsTest, AreRandomUuids) {
  std::set<Uuid> seen;
  for (int i = 0; i < 1000; ++i) {
    const Uuid id = random_uuid();
    EXPECT_EQ(id[6] >> 4, 4) << "version";
    EXPECT_EQ(id[8] >> 6, 2) << "variant";
    EXPECT_TRUE(seen.insert(id).second);
  }
}

TEST(IdsTest, AreSpeltInFiveGroups) {
  const Uuid id{0xf4, 0x7a, 0xc1, 0x0b, 0x58, 0xcc, 0x43, 0x72,
                0xa5, 0x67, 0x0e, 0x02, 0xb2, 0xc3, 0xd4, 0x79};
  EXPECT_EQ(to_string(id), "f47ac10b-58cc-4372-a567-0e02b2c3d479");
}

}  // namespace
}  // namespace holdfast::base
