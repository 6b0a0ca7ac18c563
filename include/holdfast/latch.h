// SPDX-License-Identifier: Apache-2.0

// holdfast/latch.h - wait until so many things have happened, wherever they happen.
//
//   holdfast::Latch ready(client, "deploy/42");
//   auto set = ready.set_count(3);                // by any process, once
//   auto left = ready.count_down();               // by each of three workers
//   auto open = ready.wait({.wait = 1min});       // by all that depend on them
//
// The count outlives the processes that changed it. A latch that was never set, or
// whose count has come to zero, is open, and can be set again.

#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "holdfast/client.h"
#include "holdfast/completion.h"
#include "holdfast/export.h"
#include "holdfast/lease.h"
#include "holdfast/result.h"

namespace holdfast::inline v0 {

// A Latch is safe for concurrent use. The constructor reports no error: a name that is
// not allowed makes every later call fail.
class HOLDFAST_EXPORT Latch {
 public:
  Latch(Client client, std::string name);
  Latch(const Latch&) = delete;
  Latch& operator=(const Latch&) = delete;
  ~Latch();

  // Closes an open latch with a count of one or more. Returns false if the latch is
  // closed already; it then keeps its count. Errc::bad_argument: `count` is below one.
  Result<bool> set_count(std::int64_t count);

  // Subtracts `by`, which is one or more, and returns what is left. The count never
  // goes below zero, and an open latch stays open. A lost reply is retried in such a
  // way that the call counts once. Errc::outcome_unknown: no reply came for as long as
  // a lease, and the call may or may not have counted; a second call might count a
  // second time, so look at `count()` first.
  Result<std::int64_t> count_down(std::int64_t by = 1);

  // Returns what is left to count down: zero for an open latch.
  Result<std::int64_t> count();

  // Waits until the latch is open. Errc::timed_out: it was still closed when
  // `options.wait` was over. Errc::cancelled: `options.stop` was requested. Any other
  // error: the engine could not be asked.
  [[nodiscard]] Result<void> wait(const WaitOptions& options = {});

  // Do the same without a thread that waits; see holdfast/completion.h.
  void set_count_async(std::int64_t count, Completion<bool> done);
  void count_down_async(std::int64_t by, Completion<std::int64_t> done);
  void count_async(Completion<std::int64_t> done);
  void wait_async(const WaitOptions& options, Completion<void> done);

  std::string_view name() const noexcept;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace holdfast::inline v0
