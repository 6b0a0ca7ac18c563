// SPDX-License-Identifier: Apache-2.0

// holdfast/counter.h - a 64-bit number that processes and hosts share.
//
//   holdfast::Counter stock(client, "stock/1001/left");
//   auto sold = stock.add(-1);                    // one step at the engine
//   if (sold && sold->after < 0) return report("sold out");
//
//   auto taken = stock.update([](std::int64_t left) -> std::optional<std::int64_t> {
//     if (left < 3) return std::nullopt;          // leave it as it is
//     return left - 3;
//   });                                           // optimistic: read, compute, swap
//   if (taken && taken->done) ship(taken->before, taken->after);
//
// The number outlives the processes that use it. It is zero until it is written.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "holdfast/client.h"
#include "holdfast/completion.h"
#include "holdfast/export.h"
#include "holdfast/lease.h"
#include "holdfast/result.h"

namespace holdfast::inline v0 {

// What a call did to the number. If `done` is false, the call left the number as it
// found it, in `before`. If `tries` is more than one, other clients changed the number
// meanwhile.
struct Change {
  bool done = false;
  std::int64_t before = 0;
  std::int64_t after = 0;
  std::uint32_t tries = 1;
};

// A Counter is safe for concurrent use. The constructor reports no error: a name that
// is not allowed makes every later call fail.
//
// A change is made once, even if a reply is lost: the client retries the request, and
// the engine recognises it. These errors concern all changes:
//   * Errc::outcome_unknown: no reply came for as long as a lease, and the change may
//     or may not have been made. A second call would be a second change. Read the
//     number first; or keep it under a lock, or in a SharedCount
//     (holdfast/shared_count.h), where the version tells.
//   * Errc::bad_argument: the result would not fit into 64 bits; nothing was changed.
class HOLDFAST_EXPORT Counter {
 public:
  Counter(Client client, std::string name);
  Counter(const Counter&) = delete;
  Counter& operator=(const Counter&) = delete;
  ~Counter();

  // Returns the number that the engine had when it was asked: zero if the number was
  // never written.
  Result<std::int64_t> get();

  // Add to the number in one step at the engine, whatever it is. `subtract` cannot
  // subtract the smallest 64-bit number: Errc::bad_argument.
  Result<Change> add(std::int64_t by);
  Result<Change> subtract(std::int64_t by);
  Result<Change> increment() { return add(1); }
  Result<Change> decrement() { return add(-1); }

  // Sets the number to `desired` if it is `expected`. It cannot tell apart a number
  // that did not change from one that changed and changed back. Where that matters, use
  // a SharedCount.
  Result<Change> compare_exchange(std::int64_t expected, std::int64_t desired);

  // Sets the number to `desired`, whatever it is; `before` says what it was.
  Result<Change> exchange(std::int64_t desired);

  // Sets the number to what `next` makes of it. When another client changes the number
  // between the read and the swap, the call tries again, with growing pauses, so `next`
  // may be called several times. When `next` returns nullopt, the number is left alone.
  // `options` limits the whole call. Errc::timed_out: other clients were faster until
  // then.
  using Next = std::function<std::optional<std::int64_t>(std::int64_t)>;
  Result<Change> update(const Next& next, const WaitOptions& options = {});

  // Do the same without a thread that waits; see holdfast/completion.h. `next` is
  // called by a thread of the client, and must neither throw nor block.
  void get_async(Completion<std::int64_t> done);
  void add_async(std::int64_t by, Completion<Change> done);
  void subtract_async(std::int64_t by, Completion<Change> done);
  void increment_async(Completion<Change> done) { add_async(1, std::move(done)); }
  void decrement_async(Completion<Change> done) { add_async(-1, std::move(done)); }
  void compare_exchange_async(std::int64_t expected, std::int64_t desired,
                              Completion<Change> done);
  void exchange_async(std::int64_t desired, Completion<Change> done);
  void update_async(Next next, const WaitOptions& options, Completion<Change> done);

  std::string_view name() const noexcept;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace holdfast::inline v0
