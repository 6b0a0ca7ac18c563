// SPDX-License-Identifier: Apache-2.0

#include "cli/bad_url.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "cli/program.h"

namespace holdfast::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST_P(BadUrlTest, IsRefusedInOneSentence) {
  Program holdfast;
  holdfast.set("HOLDFAST_URL=" + GetParam().url);
  const Outcome outcome = holdfast({"run", "job", "--", "true"});
  EXPECT_EQ(outcome.code, GetParam().code) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, HasSubstr(GetParam().says));
  EXPECT_THAT(outcome.err, Not(HasSubstr(kCanary)));
  EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
}

INSTANTIATE_TEST_SUITE_P(
    Local, BadUrlTest,
    testing::Values(BadUrl{"local://ann:c4n4ry@host/x", 78, "a path alone"},
                    BadUrl{"bogus://ann:c4n4ry@host", 78, "bogus"}));

}  // namespace
}  // namespace holdfast::test
