// SPDX-License-Identifier: Apache-2.0

// demo/process.h - a shop as its owner sees it.

#pragma once

#include <sys/types.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "options.h"
#include "shop.h"

namespace holdfast::demo {

// Ctrl-C ends every wait below with Trouble(kInterrupted), so that shops and files are
// cleaned up on the way out.
void catch_interrupts();

// A process is started from this same program, and is killed and reaped by the
// destructor.
class ShopProcess {
 public:
  explicit ShopProcess(const ShopOptions& options);
  ShopProcess(ShopProcess&& other) noexcept;
  ShopProcess& operator=(ShopProcess&&) = delete;
  ~ShopProcess();

  void wait_until_ready();
  void start_at(std::int64_t steady_ns);
  bool next(Sample& sample);  // False means that the shop has closed.
  void wait();                // waits until it has ended by itself
  void kill();                // sends SIGKILL
  void stop();                // sends SIGSTOP, and returns when it has stopped
  void go_on();               // sends SIGCONT

 private:
  pid_t pid_ = -1;
  int in_ = -1;   // The shop reads from it.
  int out_ = -1;  // The shop writes to it.
};

// Makes all threads of all shops start at one moment.
void start_together(std::span<ShopProcess> shops);

}  // namespace holdfast::demo
