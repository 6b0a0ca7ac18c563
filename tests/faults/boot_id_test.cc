// SPDX-License-Identifier: Apache-2.0

// A process that cannot tell for which boot a segment is in use, or is mistaken about
// it, ends no other session's claims.

#include <gtest/gtest.h>

#include <fstream>
#include <optional>
#include <string>

#include "support/sanitizers.h"
#include "support/temp_dir.h"
#include "support/victim.h"

namespace holdfast::test {
namespace {

using Surroundings = Victim::Surroundings;

class BootIdTest : public testing::Test {
 protected:
  // Lets `odd` open the segment while another process holds "job".
  void expect_refused(std::optional<Victim> odd, Errc why) {
    Victim holder(url_);
    ASSERT_EQ(holder.ask("lock job"), "ok");
    const std::string answer = odd->ask("open " + url_);
    EXPECT_TRUE(is_error(answer, why)) << answer;
    EXPECT_NE(answer.find("boot_id"), std::string::npos) << answer;
    EXPECT_TRUE(is_error(Victim(url_).ask("try job"), Errc::timed_out))
        << "the claim was ended by it";
    EXPECT_EQ(holder.ask("valid"), "ok yes");
  }

  std::optional<Victim> with_another_boot_id() const {
    std::ofstream(dir_.file("id")) << "11111111-2222-3333-4444-555555555555\n";
    return Victim::in(Surroundings::mounts, "mount --bind " + dir_.file("id") +
                                                " /proc/sys/kernel/random/boot_id");
  }

  TempDir dir_;
  const std::string url_ = "local://" + dir_.file("segment");
};

constexpr const char* kCannotMount = "only root can mount";

TEST_F(BootIdTest, WithoutProc) {
  auto odd = Victim::in(Surroundings::mounts, "umount -l /proc");
  if (!odd) GTEST_SKIP() << kCannotMount;
  expect_refused(std::move(odd), Errc::unavailable);
}

TEST_F(BootIdTest, WithAProcThatShowsProcessesOnly) {
  auto odd = Victim::in(Surroundings::mounts, "mount -t proc -o subset=pid proc /proc");
  if (!odd) GTEST_SKIP() << kCannotMount << ", and not every kernel has subset=pid";
  expect_refused(std::move(odd), Errc::unavailable);
}

TEST_F(BootIdTest, WithAnotherBootId) {
  auto odd = with_another_boot_id();
  if (!odd) GTEST_SKIP() << kCannotMount;
  expect_refused(std::move(odd), Errc::incompatible);
}

TEST_F(BootIdTest, OutOfDescriptors) {
  if (kAddressSanitizer) GTEST_SKIP() << "the sanitizers open descriptors themselves";
  constexpr const char* kOneLeft = "exec 3>&- && ulimit -n 4";  // 3 may be inherited
  expect_refused(Victim::in(Surroundings::limits, kOneLeft), Errc::unavailable);
}

TEST_F(BootIdTest, IsBelievedWhenNoProcessLives) {
  auto odd = with_another_boot_id();
  if (!odd) GTEST_SKIP() << kCannotMount;
  {
    Victim holder(url_);
    ASSERT_EQ(holder.ask("lock job"), "ok");
    holder.kill();
  }
  EXPECT_EQ(odd->ask("open " + url_), "ok");
  EXPECT_EQ(odd->ask("try job"), "ok");
  EXPECT_TRUE(is_error(Victim().ask("open " + url_), Errc::incompatible))
      << "the segment now has the other boot id, so this process is the mistaken one";
}

TEST_F(BootIdTest, AnInheritedLivenessDescriptorCountsAsAProcess) {
  auto odd = with_another_boot_id();
  if (!odd) GTEST_SKIP() << kCannotMount;
  std::string child;
  {
    Victim holder(url_);
    ASSERT_EQ(holder.ask("lock job"), "ok");
    child = holder.ask("spawn");
    ASSERT_TRUE(child.starts_with("ok ")) << child;
    holder.kill();
  }
  EXPECT_TRUE(is_error(odd->ask("open " + url_), Errc::incompatible));
  kill(std::stoi(child.substr(3)), SIGKILL);
}

}  // namespace
}  // namespace holdfast::test
