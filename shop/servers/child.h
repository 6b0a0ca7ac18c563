// SPDX-License-Identifier: Apache-2.0

// shop/servers/child.h - a server that lives as long as its object.
//
//   Child redis({"redis-server", "--port", "6400"}, dir + "/redis.log");
//   redis.await("Ready to accept connections", 10s);
//
// Its output goes to a file. It also dies with the thread that started it, so that a
// shop that is killed leaves nothing behind. It is in a process group of its own: a
// Ctrl-C is for the shop, which then ends its servers.

#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

namespace holdfast::shop {

// It is movable, and not safe for concurrent use.
class Child {
 public:
  // Throws Trouble when the program is not there.
  Child(std::vector<std::string> command, std::string log);
  Child(Child&& other) noexcept;
  Child& operator=(Child&& other) noexcept;
  ~Child();  // kills it

  // Waits until a line of its output has `text` in it, and returns the rest of that
  // line. Throws Trouble, with the end of the output, when it ends or is too slow.
  std::string await(const std::string& text, std::chrono::seconds limit) const;

  bool has_said(const std::string& text) const;

  bool running() const;

  // Waits for its end, and returns the exit code, or 128 + the signal that ended it, or
  // -1 if it still runs.
  int wait(std::chrono::seconds limit) const;

  std::string end_of_log() const;

  // Asks it to end by SIGTERM, and kills it when it has not ended in time.
  void stop(std::chrono::milliseconds limit) noexcept;
  void kill() noexcept;  // sends SIGKILL, and reaps it

  void pause();   // sends SIGSTOP, and returns when it has stopped
  void resume();  // sends SIGCONT

 private:
  bool reaped(int flags) const noexcept;

  std::string name_;
  std::string log_;
  mutable pid_t pid_ = -1;  // -1: it was reaped
  mutable int ended_ = -1;  // as wait() returns it
};

// Ctrl-C and SIGTERM make every wait of the shop end with Trouble(kInterrupted), so
// that servers and files are cleaned up on the way out.
void catch_interrupts();
void throw_if_interrupted();
void await_interrupt();  // returns when there is one

}  // namespace holdfast::shop
