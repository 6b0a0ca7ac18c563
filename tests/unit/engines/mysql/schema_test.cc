// SPDX-License-Identifier: Apache-2.0

#include "engines/mysql/schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engines/mysql/engine.h"
#include "holdfast/schema.h"

namespace holdfast::mysql {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

TEST(MysqlSchema, MakesThreeTablesAndHarmsNoneThatAreThere) {
  const auto statements = schema_statements();
  ASSERT_THAT(statements, SizeIs(3));
  for (const std::size_t i : {0U, 1U, 2U}) {
    const std::string table[] = {"resource", "claim", "mark"};
    EXPECT_THAT(statements[i],
                HasSubstr("CREATE TABLE IF NOT EXISTS holdfast_" + table[i] + " ("));
    EXPECT_THAT(statements[i], HasSubstr("ENGINE=InnoDB"));
    EXPECT_EQ(statements[i].find("CREATE"), statements[i].rfind("CREATE"));
  }
}

TEST(MysqlSchema, IsWhatTheLibraryGives) {
  EXPECT_EQ(holdfast::schema("mysql").value(), schema());
  EXPECT_EQ(holdfast::schema("mysq").error().code, Errc::no_engine);
  EXPECT_EQ(holdfast::schema("").error().code, Errc::no_engine);
  EXPECT_EQ(holdfast::schema("quorum").error().code, Errc::unsupported);
}

}  // namespace
}  // namespace holdfast::mysql
