// SPDX-License-Identifier: Apache-2.0

#include "base/common_failures.h"

#include <gtest/gtest.h>

namespace holdfast::base {
namespace {

TEST(CommonFailuresTest, NameTheResource) {
  const std::string subject = in_quotes("uploads");
  EXPECT_EQ(subject, "\"uploads\"");
  const struct {
    Failure failure;
    Errc code;
  } all[] = {
      {used_by_another_kind(subject), Errc::wrong_kind},
      {cannot_grow(subject), Errc::unsupported},
      {reader_cannot_write(subject), Errc::unsupported},
      {too_many_permits(subject, 4, 3), Errc::bad_argument},
      {number_does_not_fit(subject), Errc::bad_argument},
      {changed_by_others(subject), Errc::unavailable},
  };
  for (const auto& each : all) {
    EXPECT_EQ(each.failure.code, each.code) << each.failure.context;
    EXPECT_NE(each.failure.context.find(subject), std::string::npos)
        << each.failure.context;
  }
}

// As examples/semaphore.cc shows it.
TEST(CommonFailuresTest, TellHowManyPermitsThereAreAndWhatToDo) {
  EXPECT_EQ(
      too_many_permits("\"uploads\"", 4, 3).context,
      "\"uploads\" will never have 4 permits, it has 3: ask for at most 3, or set a "
      "larger number with Semaphore::set_permits or `holdfast semaphore`");
  EXPECT_EQ(
      too_many_permits("\"uploads\"", 1, 0).context,
      "\"uploads\" will never have 1 permits, it has 0: set their number first, with "
      "Semaphore::set_permits or `holdfast semaphore`");
}

}  // namespace
}  // namespace holdfast::base
