// SPDX-License-Identifier: Apache-2.0

#include "base/log.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace holdfast::base {
namespace {

class LogTest : public testing::Test {
 protected:
  ~LogTest() override { unsetenv("HOLDFAST_LOG"); }

  static std::string written(const char* level) {
    setenv("HOLDFAST_LOG", level, 1);
    testing::internal::CaptureStderr();
    log_to_stderr(LogLevel::info, "i");
    log_to_stderr(LogLevel::warning, "w");
    log_to_stderr(LogLevel::error, "e");
    return testing::internal::GetCapturedStderr();
  }
};

TEST_F(LogTest, TheEnvironmentChoosesWhatIsSaid) {
  EXPECT_EQ(written("info"), "holdfast: i\nholdfast: w\nholdfast: error: e\n");
  EXPECT_EQ(written("warning"), "holdfast: w\nholdfast: error: e\n");
  EXPECT_EQ(written(""), written("warning"));
  EXPECT_EQ(written("error"), "holdfast: error: e\n");
  EXPECT_EQ(written("off"), "");
}

TEST_F(LogTest, AWrongWordIsSaidOnce) {
  EXPECT_EQ(written("loud"), written("warning"));
  setenv("HOLDFAST_LOG", "loud", 1);
  testing::internal::CaptureStderr();
  check_log_environment();
  check_log_environment();
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "holdfast: HOLDFAST_LOG is not one of error, warning, info and off\n");
}

}  // namespace
}  // namespace holdfast::base
