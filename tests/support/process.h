// SPDX-License-Identifier: Apache-2.0

// tests/support/process.h - another process, controlled by lines of text.
//
//   Process cat({"cat"});
//   cat.write_line("hello");
//   EXPECT_EQ(cat.read_line(), "hello");
//   cat.signal(SIGKILL);
//   EXPECT_EQ(cat.wait(), 128 + SIGKILL);

#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/scale.h"

namespace holdfast::test {

// The exit code of setpriv and of a shell whose program is not on this machine.
inline constexpr int kNoSuchProgram = 127;

// The process is started by posix_spawn, since a child forked from a threaded process
// may do next to nothing. Its stderr is the test's. The class is movable and not safe
// for concurrent use.
class Process {
 public:
  // `environment` holds "NAME=value", in addition to the test's own. Throws
  // std::system_error.
  explicit Process(std::vector<std::string> command,
                   std::vector<std::string> environment = {});
  Process(Process&& other) noexcept;
  Process& operator=(Process&&) = delete;
  ~Process();  // kills it if it still runs

  pid_t pid() const noexcept { return pid_; }

  // Returns false if the process has closed its stdin.
  bool write_line(std::string_view line);
  void close_stdin() noexcept;

  // Returns the next line without its newline, or nothing if the output or the time is
  // over.
  std::optional<std::string> read_line(std::chrono::milliseconds limit = patience());

  void signal(int number) noexcept;

  // Sends SIGSTOP, and returns when the process has stopped. Throws std::runtime_error.
  void pause();

  // Returns the exit code, or 128 + the signal that ended it, or nothing if it still
  // runs.
  std::optional<int> wait(std::chrono::milliseconds limit = patience());

 private:
  pid_t pid_ = -1;
  int to_ = -1;
  int from_ = -1;
  std::string unread_;
  std::optional<int> status_;
};

}  // namespace holdfast::test
