// holdfast/double_barrier.h - parties that begin together and end together.
//
//   holdfast::DoubleBarrier round(client, "round", 3);
//   auto entered = round.enter({.wait = 1min});   // until three are here
//   compute();
//   auto left = round.leave({.wait = 1min});      // until all have finished
//
// A party is a claim: when its process dies, it is not waited for.

#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "holdfast/client.h"
#include "holdfast/export.h"
#include "holdfast/lease.h"
#include "holdfast/result.h"

namespace holdfast {

// One object is one party, in any thread; it enters and leaves, one after the other, as
// often as it likes. Safe for concurrent use.
class HOLDFAST_EXPORT DoubleBarrier {
 public:
  // `parties` is a threshold: when so many are here, they and all later ones are in,
  // until the last of them has left.
  DoubleBarrier(Client client, std::string name, std::uint32_t parties,
                LeaseOptions lease = {});
  DoubleBarrier(const DoubleBarrier&) = delete;
  DoubleBarrier& operator=(const DoubleBarrier&) = delete;
  ~DoubleBarrier();  // a party that is in leaves without waiting

  // Who gives up waiting is not here: the others go on waiting for their number.
  // Errc::bad_argument: this party is in already.
  [[nodiscard]] Result<void> enter(const AcquireOptions& options = {});

  // Leaves at once, and then waits until nobody is in. Errc::timed_out and cancelled:
  // this party has left, others have not; call it again to wait on. Errc::not_held: it
  // was not in, or its lease was lost.
  [[nodiscard]] Result<void> leave(const AcquireOptions& options = {});

  // Requested when this party may no longer be counted as in. Not in: requested.
  std::stop_token lost() const noexcept;
  std::chrono::nanoseconds valid_for() const noexcept;  // as in Hold

  std::string_view name() const noexcept;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace holdfast
