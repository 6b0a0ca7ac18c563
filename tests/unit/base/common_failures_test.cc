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

// examples/semaphore.cc shows this message.
TEST(CommonFailuresTest, TellHowManyPermitsThereAre) {
  EXPECT_EQ(too_many_permits("\"uploads\"", 4, 3).context,
            "\"uploads\" will never have 4 permits, it has 3");
}

}  // namespace
}  // namespace holdfast::base
