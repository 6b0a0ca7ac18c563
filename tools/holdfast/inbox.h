// SPDX-License-Identifier: Apache-2.0

// tools/holdfast/inbox.h - tasks of other threads, run by this one.
//
// What the main thread prints into a closed pipe ends the program, as everybody expects
// of a command; Holdfast's own threads block all signals.

#pragma once

#include <deque>
#include <functional>
#include <mutex>

#include "run/descriptor.h"

namespace holdfast::cli {

class Inbox {
 public:
  Inbox();

  // From any thread.
  void post(std::function<void()> task);

  // Runs what was posted, in order, until a signal comes out of the signalfd: its
  // number.
  int run_until_signal(int signals);

 private:
  void run_all();

  Descriptor posted_;  // an eventfd
  std::mutex mutex_;
  std::deque<std::function<void()>> tasks_;
};

}  // namespace holdfast::cli
