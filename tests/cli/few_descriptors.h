// SPDX-License-Identifier: Apache-2.0

// tests/cli/few_descriptors.h - the program under `ulimit -n`, from far too few up.

#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "cli/program.h"
#include "holdfast/clock.h"
#include "support/sanitizers.h"
#include "support/scale.h"

namespace holdfast::test {

// Expects that the program works, or says in one sentence and with a documented code
// that it cannot. It must never wait for something that will not come.
inline void expect_sentences_with_few_descriptors(const std::string& url,
                                                  const std::string& args) {
  if (kAddressSanitizer || kThreadSanitizer) {
    GTEST_SKIP() << "the sanitizers open descriptors themselves";
  }
  constexpr int kLeast = 4;  // with fewer, no shared library might be loaded
  constexpr int kMost = 20;
  int works = 0;
  for (int limit = kLeast; limit <= kMost; ++limit) {
    const Program files;
    Process shell({"/bin/sh", "-c",
                   "exec 2>" + files.err_file() + "; ulimit -n " +
                       std::to_string(limit) + "; exec \"$0\" " + args,
                   HOLDFAST_PROGRAM},
                  {"HOLDFAST_URL=" + url});
    shell.close_stdin();
    const auto start = Clock::now();
    const auto code = shell.wait();
    const std::string err = contents(files.err_file());
    const std::string where = args + " with " + std::to_string(limit);
    ASSERT_TRUE(code) << where << ": the program hangs";
    EXPECT_LT(Clock::now() - start, scaled(std::chrono::seconds(8))) << where;
    if (err.find("error while loading shared libraries") != std::string::npos) continue;
    EXPECT_THAT(*code, testing::AnyOf(0, 69, 125, 126)) << where << ": " << err;
    if (*code == 0) ++works;
    if (*code == 0) continue;
    EXPECT_THAT(err, testing::StartsWith("holdfast: cannot ")) << where;
    EXPECT_EQ(err.find('\n'), err.size() - 1) << where << ": " << err;
  }
  EXPECT_GT(works, 0) << args;
}

}  // namespace holdfast::test
