// tests/support/process.h - another process, spoken to by lines.
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

// Started by posix_spawn, since a child forked from a threaded process may do next to
// nothing. Its stderr is the test's. Movable; not safe for concurrent use.
class Process {
 public:
  // `environment`: "NAME=value", on top of the test's own. Throws std::system_error.
  explicit Process(std::vector<std::string> command,
                   std::vector<std::string> environment = {});
  Process(Process&& other) noexcept;
  Process& operator=(Process&&) = delete;
  ~Process();  // kills what still runs

  pid_t pid() const noexcept { return pid_; }

  // False: it has closed its stdin.
  bool write_line(std::string_view line);
  void close_stdin() noexcept;

  // The next line without its newline; nothing: the output or the time is over.
  std::optional<std::string> read_line(std::chrono::milliseconds limit = patience());

  void signal(int number) noexcept;

  // The exit code, or 128 + the signal that ended it; nothing: it still runs.
  std::optional<int> wait(std::chrono::milliseconds limit = patience());

 private:
  pid_t pid_ = -1;
  int to_ = -1;
  int from_ = -1;
  std::string unread_;
  std::optional<int> status_;
};

}  // namespace holdfast::test
