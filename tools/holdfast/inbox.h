// SPDX-License-Identifier: Apache-2.0

// tools/holdfast/inbox.h - tasks of other threads, run by this one.
//
// Printing into a closed pipe must end the program, as users expect of a command. That
// works only in the main thread, because Holdfast's own threads block all signals.

#pragma once

#include <deque>
#include <functional>
#include <mutex>

#include "run/descriptor.h"

namespace holdfast::cli {

class Inbox {
 public:
  Inbox();

  // This may be called from any thread.
  void post(std::function<void()> task);

  // Runs the posted tasks, in order, until a signal comes out of the signalfd, and
  // returns its number.
  int run_until_signal(int signals);

 private:
  void run_all();

  Descriptor posted_;  // an eventfd
  std::mutex mutex_;
  std::deque<std::function<void()>> tasks_;
};

}  // namespace holdfast::cli
