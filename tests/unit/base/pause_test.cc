// SPDX-License-Identifier: Apache-2.0

#include "base/pause.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

#include "base/fork_epoch.h"

namespace holdfast::base {
namespace {

using namespace std::chrono_literals;

std::array<std::int64_t, 4> draw_times() {
  std::array<std::int64_t, 4> drawn{};
  for (auto& each : drawn) each = random_part(1h).count();
  return drawn;
}

TEST(PauseTest, IsAtMostWhatWasAskedFor) {
  for (const auto drawn : draw_times()) {
    EXPECT_GE(drawn, 0);
    EXPECT_LE(drawn, std::chrono::nanoseconds(1h).count());
  }
  EXPECT_EQ(random_part(0ns), 0ns);
  EXPECT_GE(jittered(10ns), 5ns);
  EXPECT_LE(jittered(10ns), 10ns);
}

// Otherwise the children of one process would retry in step.
TEST(PauseTest, AChildDrawsOtherTimesThanItsParent) {
  watch_forks();
  (void)random_part(1h);  // the generator of this thread is there before the fork
  std::array<int, 2> pipe_ends{};
  ASSERT_EQ(pipe(pipe_ends.data()), 0);
  const pid_t child = fork();
  if (child == 0) {
    const auto drawn = draw_times();
    _exit(write(pipe_ends[1], drawn.data(), sizeof drawn) == sizeof drawn ? 0 : 1);
  }
  close(pipe_ends[1]);
  std::array<std::int64_t, 4> theirs{};
  EXPECT_EQ(read(pipe_ends[0], theirs.data(), sizeof theirs),
            static_cast<ssize_t>(sizeof theirs));
  close(pipe_ends[0]);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_NE(draw_times(), theirs);
}

}  // namespace
}  // namespace holdfast::base
