// SPDX-License-Identifier: Apache-2.0

// bench/program.h - another program, spoken to by lines.

#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace holdfast::bench {

// The destructor kills the program, which also dies with the thread that started it.
class Program {
 public:
  // A server gets a session of its own: the scheduler shares the processors between
  // sessions, and a client with many threads must not squeeze it out. All clients, ours
  // and the rivals', share one session.
  enum class As { server, client };

  // The first word is found by PATH. Throws std::system_error.
  Program(As as, std::vector<std::string> command);
  Program(Program&& other) noexcept;
  Program& operator=(Program&&) = delete;
  ~Program();

  pid_t pid() const noexcept { return pid_; }
  double cpu_seconds() const;  // the processor time of all its threads since the start
  void write_line(const std::string& line);
  std::optional<std::string> read_line();  // Nothing means that it has ended.

 private:
  pid_t pid_ = -1;
  int to_ = -1;
  int from_ = -1;
  std::string unread_;
};

}  // namespace holdfast::bench
