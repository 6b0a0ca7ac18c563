// SPDX-License-Identifier: Apache-2.0

// holdfast/double_barrier.h - parties that begin together and end together.
//
//   holdfast::DoubleBarrier round(client, "round", 3);
//   auto entered = round.enter({.wait = 1min});   // until three are here
//   compute();
//   auto left = round.leave({.wait = 1min});      // until all have finished
//
// A party is a claim: when its process dies, the others do not wait for it.

#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "holdfast/client.h"
#include "holdfast/completion.h"
#include "holdfast/export.h"
#include "holdfast/lease.h"
#include "holdfast/result.h"

namespace holdfast::inline v0 {

// One object is one party, whichever threads use it. It enters and leaves in turn, as
// often as it likes. A DoubleBarrier is safe for concurrent use.
class HOLDFAST_EXPORT DoubleBarrier {
 public:
  // `parties` is a threshold: once that many parties are here, they and all that arrive
  // later are in, until the last of them has left. It must be at least one.
  DoubleBarrier(Client client, std::string name, std::uint32_t parties,
                LeaseOptions lease = {});
  DoubleBarrier(const DoubleBarrier&) = delete;
  DoubleBarrier& operator=(const DoubleBarrier&) = delete;

  // A party that is in leaves, without waiting for the others.
  ~DoubleBarrier();

  // Waits until the threshold is reached. Errc::timed_out and cancelled: this party has
  // given up and is no longer counted; the others go on waiting. Errc::bad_argument:
  // this party is in already, or was in and has not called `leave()` yet.
  [[nodiscard]] Result<void> enter(const WaitOptions& options = {});

  // Leaves at once, and then waits until no party is in. Errc::timed_out and cancelled:
  // this party has left, and others have not; call it again to go on waiting.
  // Errc::not_held: this party was not in, or its lease was lost.
  [[nodiscard]] Result<void> leave(const WaitOptions& options = {});

  // Do the same without a thread that waits; see holdfast/completion.h. A party whose
  // object is destroyed before `enter_async` is done leaves as soon as it is in.
  void enter_async(const WaitOptions& options, Completion<void> done);
  void leave_async(const WaitOptions& options, Completion<void> done);

  // The loss signal and the remaining time of this party's claim, as in `Hold`. When
  // the signal is requested, the others may no longer count this party as in. For a
  // party that is not in, it has already been requested, and the time is zero.
  std::stop_token lost() const noexcept;
  std::chrono::nanoseconds valid_for() const noexcept;

  std::string_view name() const noexcept;

 private:
  class Impl;
  class Leaving;
  std::shared_ptr<Impl> impl_;  // shared with the asynchronous calls
};

}  // namespace holdfast::inline v0
