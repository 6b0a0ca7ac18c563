// SPDX-License-Identifier: Apache-2.0

#include "cli/few_descriptors.h"

namespace holdfast::test {
namespace {

TEST(FewDescriptorsTest, EveryVerbThatWaitsSaysSo) {
  const Program files;
  for (const char* args : {"run job -- true", "run --read prices -- true", "wait job",
                           "latch l wait", "barrier b wait", "elect e -- true"}) {
    expect_sentences_with_few_descriptors(files.url(), args);
  }
}

TEST(FewDescriptorsTest, TheCommandIsNotRunWithoutItsWatchdog) {
  if (kAddressSanitizer || kThreadSanitizer) {
    GTEST_SKIP() << "the sanitizers open descriptors themselves";
  }
  const Program holdfast;
  for (int limit = 7; limit <= 16; ++limit) {
    Process shell({"/bin/sh", "-c",
                   "exec 2>/dev/null; ulimit -n " + std::to_string(limit) +
                       "; exec \"$0\" run job -- sh -c 'echo $HOLDFAST_LOST_FD'",
                   HOLDFAST_PROGRAM},
                  {"HOLDFAST_URL=" + holdfast.url()});
    const auto line = shell.read_line();
    if (line) {
      EXPECT_GT(std::stoi(*line), 2) << "with " << limit;
    }
  }
}

}  // namespace
}  // namespace holdfast::test
