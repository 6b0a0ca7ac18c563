// SPDX-License-Identifier: Apache-2.0

// holdfast/hold.h - proof that a resource is yours, for as long as the lease lasts.
//
//   auto hold = mutex.acquire();
//   std::stop_callback on_loss(hold->lost(), [&] { job.abandon(); });
//   storage.write(row, hold->token());       // refused if granted again since
//   auto released = hold->release();         // optional: the destructor does it too
//
// A hold is void in a child process after fork(): there it answers as a lost hold does,
// `release()` returns Errc::forked, and the destructor does nothing.

#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string_view>

#include "holdfast/completion.h"
#include "holdfast/export.h"
#include "holdfast/result.h"

namespace holdfast::core {
class Access;
class Lease;
}  // namespace holdfast::core

namespace holdfast::inline v0 {

// A number that grows with every grant of one resource, so that the resource can refuse
// a stale holder; see holdfast/fence.h. It is zero, and converts to false, where the
// engine cannot fence.
struct FencingToken {
  std::uint64_t value = 0;
  explicit operator bool() const noexcept { return value != 0; }
  auto operator<=>(const FencingToken&) const = default;
};

// A Hold is move-only. Only its const members are safe for concurrent use.
//
// The table shows what a hold answers, by its state:
//
//   state     valid()  lost()         token(), name()  release()         destroyed
//   --------  -------  -------------  ---------------  ----------------  -------------
//   held      true     not requested  its own          gives it back     gives it back
//   lost      false    requested      its own          Errc::not_held    nothing
//   released  false    requested      its own          nothing; success  nothing
//   empty     false    requested      empty            nothing; success  nothing
//
// A hold is empty when it was made without a lock, moved from, or given to
// `release_async`.
//
// A lost hold keeps its token on purpose: the guarded resource refuses that token once
// it has seen a larger one.
class [[nodiscard]] HOLDFAST_EXPORT Hold {
 public:
  Hold() noexcept;  // an empty hold: a member, say, that is assigned to later
  Hold(Hold&&) noexcept;
  Hold& operator=(Hold&&) noexcept;

  // Releases as `release()` does, but discards the outcome. On zookeeper the request is
  // sent and not awaited; the engine retries it until it is confirmed.
  ~Hold();

  FencingToken token() const noexcept;

  // The name of what is held. It lives as long as this hold.
  std::string_view name() const noexcept;

  // A stop_token that is requested once: when the lease ends, when the engine says that
  // the hold is gone, or, without a loss, when the hold is released, since the work
  // that it guarded is over then too. The callbacks run on Holdfast's notifier threads;
  // callbacks of different holds may run at the same time. They must not throw. They
  // may block; other holds are still told of their losses until 64 callbacks of one
  // client block at once.
  std::stop_token lost() const noexcept;

  // How long the hold lasts at least if it is not renewed again, by this host's clock
  // (CLOCK_BOOTTIME). The time is counted from when the last successful renewal was
  // sent, less an allowance for drifting clocks. It is zero once the hold is lost, and
  // nanoseconds::max() for a grant that does not end by time.
  std::chrono::nanoseconds valid_for() const noexcept;
  bool valid() const noexcept { return valid_for() > std::chrono::nanoseconds::zero(); }

  // Gives the resource back and reports whether the engine confirmed it.
  // Errc::not_held: the hold had been lost before. Errc::unavailable or
  // outcome_unknown: the engine did not answer; Holdfast retries the release in the
  // background, and the caller need not. Later calls do nothing and succeed.
  Result<void> release() noexcept;

  // Does the same without a thread that waits; see holdfast/completion.h. The hold is
  // empty as soon as the call returns.
  void release_async(Completion<void> done);

 private:
  friend class core::Access;
  explicit Hold(std::shared_ptr<core::Lease> lease) noexcept;
  std::shared_ptr<core::Lease> lease_;
};

}  // namespace holdfast::inline v0
