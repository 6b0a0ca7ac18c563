// SPDX-License-Identifier: Apache-2.0

#include "engines/mysql/names.h"

#include <gtest/gtest.h>

namespace holdfast::mysql {
namespace {

constexpr std::array<std::uint8_t, 16> kClient = {0xf4, 0x7a, 0xc1, 0x0b, 0x58, 0xcc,
                                                  0x43, 0x72, 0xa5, 0x67, 0x0e, 0x02,
                                                  0xb2, 0xc3, 0xd4, 0x79};

TEST(MysqlNames, AnOwnerIsTheClientAndTheTicket) {
  const Names names(kClient, "app");
  EXPECT_EQ(names.client(), "f47ac10b58cc4372a5670e02b2c3d479");
  EXPECT_EQ(names.owner_of(engine::Ticket{0x2a}),
            "f47ac10b58cc4372a5670e02b2c3d479:000000000000002a");
  EXPECT_EQ(names.owner_of(engine::Ticket{UINT64_MAX}),
            "f47ac10b58cc4372a5670e02b2c3d479:ffffffffffffffff");
}

// GET_LOCK of MySQL takes at most 64 bytes.
TEST(MysqlNames, BellsTellDatabasesApartAndFitIntoGetLock) {
  const Names app(kClient, "app");
  const Names other(kClient, "other");
  EXPECT_EQ(app.bell_of(7, 3), app.bell_of(7, 3));
  EXPECT_NE(app.bell_of(7, 3), other.bell_of(7, 3));
  EXPECT_NE(app.bell_of(7, 3), app.bell_of(7, 4));
  EXPECT_TRUE(app.bell_of(7, 3).ends_with(":7:3"));
  EXPECT_LE(app.bell_of(999'999'999'999, 999'999'999'999).size(), 64u);
  EXPECT_LE(Names::bell_of(app.owner_of(engine::Ticket{1})).size(), 64u);
}

TEST(MysqlNames, KindsAreTheNumbersOfTheColumn) {
  EXPECT_EQ(number_of(engine::Kind::mutex), 1);
  EXPECT_EQ(kind_of(number_of(engine::Kind::counter)), engine::Kind::counter);
}

}  // namespace
}  // namespace holdfast::mysql
