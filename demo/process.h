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

// A process started from this same program; killed and reaped when destroyed.
class ShopProcess {
 public:
  explicit ShopProcess(const ShopOptions& options);
  ShopProcess(ShopProcess&& other) noexcept;
  ShopProcess& operator=(ShopProcess&&) = delete;
  ~ShopProcess();

  void wait_until_ready();
  void start_at(std::int64_t steady_ns);
  bool next(Sample& sample);  // false: the shop has closed
  void wait();                // until it has ended by itself
  void kill();                // -9
  void stop();                // SIGSTOP; returns when it has stopped
  void go_on();               // SIGCONT

 private:
  pid_t pid_ = -1;
  int in_ = -1;   // what the shop reads
  int out_ = -1;  // what it writes
};

// All threads of all shops start at one moment.
void start_together(std::span<ShopProcess> shops);

}  // namespace holdfast::demo
