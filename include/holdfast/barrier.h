// SPDX-License-Identifier: Apache-2.0

// holdfast/barrier.h - makes processes wait, from `set()` until `remove()`.
//
//   holdfast::Barrier maintenance(client, "maintenance");
//   auto set = maintenance.set();                 // from now on all wait here
//   auto free = maintenance.wait();               // in every worker, before each job
//   auto gone = maintenance.remove();             // all go on
//
// A barrier outlives the process that set it. See holdfast/double_barrier.h for
// processes that enter and leave together.

#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "holdfast/client.h"
#include "holdfast/completion.h"
#include "holdfast/export.h"
#include "holdfast/lease.h"
#include "holdfast/result.h"

namespace holdfast::inline v0 {

// A Barrier is safe for concurrent use. The constructor reports no error: a name that
// is not allowed makes every later call fail.
class HOLDFAST_EXPORT Barrier {
 public:
  Barrier(Client client, std::string name);
  Barrier(const Barrier&) = delete;
  Barrier& operator=(const Barrier&) = delete;
  ~Barrier();

  // Set and remove the barrier. They return true if this call did it, and false if the
  // barrier already was as wanted. Both are idempotent and may be retried.
  Result<bool> set();
  Result<bool> remove();

  // Returns whether the barrier was set when the engine was asked. The value counts,
  // not the success of the call: write `is_set().value()`.
  Result<bool> is_set();

  // Waits until the barrier is removed, and returns at once if it is not set.
  // Errc::timed_out: it was still set when `options.wait` was over. Errc::cancelled:
  // `options.stop` was requested. Any other error: the engine could not be asked.
  [[nodiscard]] Result<void> wait(const WaitOptions& options = {});

  // Do the same without a thread that waits; see holdfast/completion.h.
  void set_async(Completion<bool> done);
  void remove_async(Completion<bool> done);
  void is_set_async(Completion<bool> done);
  void wait_async(const WaitOptions& options, Completion<void> done);

  std::string_view name() const noexcept;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace holdfast::inline v0
