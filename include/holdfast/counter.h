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
// It outlives everybody. One that was never written reads as zero.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "holdfast/client.h"
#include "holdfast/export.h"
#include "holdfast/lease.h"
#include "holdfast/result.h"

namespace holdfast {

// What a call did to the number.
struct Change {
  bool done = false;  // false: `before` is what was found, and it was left so
  std::int64_t before = 0;
  std::int64_t after = 0;
  std::uint32_t tries = 1;  // more than one: others changed it meanwhile
};

// Safe for concurrent use. A change is made once, also when the first answer was lost
// on its way: the client repeats the request, and the engine knows it again.
// Errc::outcome_unknown: no answer came for as long as a lease, and the change may or
// may not have been made. A second call would be a second change: read the number
// first, or keep it under a lock or in a holdfast/shared_count.h, whose versions tell.
// Errc::bad_argument: the number would leave 64 bits.
class HOLDFAST_EXPORT Counter {
 public:
  Counter(Client client, std::string name);
  Counter(const Counter&) = delete;
  Counter& operator=(const Counter&) = delete;
  ~Counter();

  Result<std::int64_t> get();

  // One step, and one round trip. The smallest number of all cannot be subtracted.
  Result<Change> add(std::int64_t by);
  Result<Change> subtract(std::int64_t by);
  Result<Change> increment() { return add(1); }
  Result<Change> decrement() { return add(-1); }

  // To `desired` if it is `expected`. Not told apart: a number that changed and changed
  // back. Where that matters, use holdfast/shared_count.h.
  Result<Change> compare_exchange(std::int64_t expected, std::int64_t desired);

  // To `desired`, whatever it is: `before` says what it was.
  Result<Change> exchange(std::int64_t desired);

  // To what `next` makes of it, repeated with pauses that grow while others are faster.
  // `next` may be called several times; nothing returned: the number is left alone.
  // Errc::timed_out: others were faster all the time. `options` limits the whole call.
  using Next = std::function<std::optional<std::int64_t>(std::int64_t)>;
  Result<Change> update(const Next& next, const AcquireOptions& options = {});

  std::string_view name() const noexcept;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace holdfast
