// SPDX-License-Identifier: Apache-2.0

// A child of fork() never inherits the right to what its parent holds.

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <string>

#include "holdfast/fence.h"
#include "support/scale.h"
#include "support/temp_dir.h"
#include "support/victim.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

TEST(ForkTest, HoldsAreVoidAfterEveryKindOfFork) {
  const TempDir dir;
  Victim holder("local://" + dir.file("segment"));
  ASSERT_EQ(holder.ask("lock a"), "ok");
  for (const std::string way : {"", "_Fork", "clone"}) {
    EXPECT_EQ(holder.ask("fork " + way), "ok void") << way;
  }
  EXPECT_EQ(holder.ask("valid"), "ok yes");
  EXPECT_EQ(holder.ask("unlock"), "ok") << "a child has released it";
}

class Pipe {
 public:
  Pipe() { EXPECT_EQ(pipe(ends_), 0); }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    close(ends_[0]);
    close(ends_[1]);
  }
  void tell() const { EXPECT_EQ(write(ends_[1], "x", 1), 1); }
  bool told(std::chrono::milliseconds limit = patience()) const {
    pollfd ready{ends_[0], POLLIN, 0};
    char byte = 0;
    return poll(&ready, 1, static_cast<int>(limit.count())) == 1 &&
           read(ends_[0], &byte, 1) == 1;
  }

 private:
  int ends_[2] = {-1, -1};
};

// Runs `deed` in a child. No other thread of the test exists when it is forked.
class Child {
 public:
  explicit Child(const std::function<void()>& deed) : pid_(fork()) {
    if (pid_ != 0) return;
    deed();
    _exit(0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }

 private:
  pid_t pid_;
};

class InheritedFence : public testing::Test {
 protected:
  TempDir dir_;
  Fence fence_ = Fence::in_file(dir_.file("fence")).value();
  Pipe inside_;
  Pipe go_;
  Pipe admitted_;
};

TEST_F(InheritedFence, IsShutForOthersWhileAChildIsInside) {
  const Child first([&] {
    (void)fence_.write({2}, [&] {
      inside_.tell();
      (void)go_.told();
    });
  });
  ASSERT_TRUE(inside_.told());
  const Child second([&] {
    if (fence_.admit({3})) admitted_.tell();
  });
  EXPECT_FALSE(admitted_.told(scaled(100ms))) << "two processes are inside";
  go_.tell();
  EXPECT_TRUE(admitted_.told());
  EXPECT_EQ(fence_.highest()->value, 3u);
  EXPECT_FALSE(fence_.admit({2}));
}

TEST_F(InheritedFence, MayBeForkedFromInside) {
  std::optional<Child> child;
  (void)fence_.write({2}, [&] {
    child.emplace([&] {
      if (fence_.admit({3})) admitted_.tell();
    });
    EXPECT_FALSE(admitted_.told(scaled(100ms))) << "the parent is inside";
  });
  EXPECT_TRUE(admitted_.told());
}

TEST_F(InheritedFence, WorksWhenItsPathIsGone) {
  std::filesystem::remove(dir_.file("fence"));
  const Child child([&] {
    if (fence_.admit({3})) admitted_.tell();
  });
  EXPECT_TRUE(admitted_.told());
  EXPECT_EQ(fence_.highest()->value, 3u) << "another file was opened";
}

}  // namespace
}  // namespace holdfast::test
