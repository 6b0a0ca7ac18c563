// SPDX-License-Identifier: Apache-2.0

// tests/cli/program.h - runs the built program on a segment of its own.
//
//   Program holdfast;
//   const Outcome outcome = holdfast({"run", "-n", "job", "--", "true"});
//   EXPECT_EQ(outcome.code, 0) << outcome.err;

#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "support/process.h"
#include "support/temp_dir.h"

namespace holdfast::test {

// A script for `sh -c` that prints its token and ends when it is told to.
inline constexpr const char* kUntilTold = "echo $HOLDFAST_TOKEN; read line";

struct Outcome {
  int code = -1;
  std::string out;
  std::string err;
};

class Program {
 public:
  // Runs the program to its end.
  Outcome operator()(const std::vector<std::string>& args,
                     const std::string& input = {}) const;

  // Starts the program. Its stderr goes into `err_file()`, and its stdout can be read
  // by lines. The pid is the program's own.
  Process start(const std::vector<std::string>& args) const;

  // Starts the program as holder of `name`, with `script` run by sh, and returns when
  // the script has printed its first line.
  Process hold(const std::string& name, const std::string& script,
               const std::vector<std::string>& flags = {}) const;

  void set(const std::string& variable);  // "NAME=value"; ERR is where stderr goes
  std::string url() const { return "local://" + dir_.file("segment"); }
  std::string file(std::string_view name) const { return dir_.file(name); }
  std::string err_file() const { return dir_.file("err"); }

 private:
  TempDir dir_;
  std::vector<std::string> environment_{"HOLDFAST_URL=" + url(),
                                        "XDG_CACHE_HOME=" + dir_.file("cache")};
};

std::string contents(const std::string& path);

// Returns whether the process is neither gone nor a zombie.
bool is_alive(pid_t pid);

// Returns the children of a process, oldest first.
std::vector<pid_t> children_of(pid_t pid);

// Waits until this number of processes wait for `name`.
bool waits(const Program& holdfast, const std::string& name, int count);

// Waits until the process handles a signal, so that it can be sent.
bool takes(pid_t pid, int signal);

// Returns a scaled duration for the command line, such as "1500ms".
std::string stretched(std::chrono::milliseconds plain);

}  // namespace holdfast::test
