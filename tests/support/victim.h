// SPDX-License-Identifier: Apache-2.0

// tests/support/victim.h - a process for a test to kill, stop and question.
//
//   Victim holder(url);
//   ASSERT_EQ(holder.ask("lock stock"), "ok");
//   holder.kill();                              // SIGKILL, while it holds
//
// The program is holdfast_victim (victim_main.cc). It reads one command per line and
// answers with one line: "ok", "ok <answer>" or "error <Errc> <sentence>".
//
//   open URL [MS]       a client with this ttl; done by the constructor
//   lock NAME [MS]      waits for it; MS: a fixed lease
//   try NAME            one attempt
//   unlock              release() of the present hold
//   claim KIND NAME MODE PERMITS CAPACITY
//                       waits for a claim of a kind that has no primitive yet
//   drop                drops that claim
//   blocking SHAPE NAME  a primitive of conformance/blocking_primitive.h
//   block, unblock, wait [MS], intact
//                       what it can do; intact: yes or no
//   use FORM NAME [N]   makes a primitive, and
//   do OPERATION ...    does something with it (victim_primitives.h)
//   token               of the present hold
//   valid               yes or no
//   lost                waits until lost() is requested
//   spawn               starts a child that has the session's liveness descriptor, and
//                       answers its pid
//   fork [WAY]          what a child sees of the hold: "void", or what is wrong; WAY:
//                       _Fork or clone, which bypass the C library's handlers
//   exec                becomes another program; no answer
//   fill MB             uses so much memory
//   count FILE N NAME   N times: lock NAME, add one to the number in FILE, unlock
//   storm FILE MS NAME  for MS: lock NAME, append one record to the journal in FILE
//   children URL N      while its threads lock: N forks, each of which opens a client
//                       of its own and takes many locks
//   names N PREFIX      holds N names at once, then releases them

#pragma once

#include <signal.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "holdfast/result.h"
#include "support/process.h"

namespace holdfast::test {

class Victim {
 public:
  // Throws std::runtime_error when the client cannot be opened. The ttl is short,
  // because most victims die while another client waits for that.
  explicit Victim(const std::string& url,
                  std::chrono::milliseconds ttl = scaled(std::chrono::seconds(2)));

  // Makes a victim without a client.
  Victim();

  // Makes a victim without a client in special surroundings, which shell commands
  // prepare. Returns nothing if they could not be made. With `mounts` the commands may
  // mount file systems, which no other process sees.
  enum class Surroundings { limits, mounts };
  static std::optional<Victim> in(Surroundings which, const std::string& commands);

  // Returns the answer, or an empty text if none came in time.
  std::string ask(std::string_view command,
                  std::chrono::milliseconds limit = patience());

  void tell(std::string_view command) { process_.write_line(command); }
  std::string answer(std::chrono::milliseconds limit = patience());

  // Kills the process with SIGKILL and waits until it is gone.
  void kill();
  void stop();  // sends SIGSTOP, and returns when it has stopped
  void go_on() { process_.signal(SIGCONT); }

  Process& process() noexcept { return process_; }

 private:
  explicit Victim(Process process) : process_(std::move(process)) {}

  Process process_;
};

// Returns whether an answer is that error.
bool is_error(std::string_view answer, Errc why);

}  // namespace holdfast::test
