// holdfast/hold.h - proof that a resource is yours, for as long as the lease lasts.
//
//   auto hold = mutex.acquire();
//   std::stop_callback on_loss(hold->lost(), [&] { job.abandon(); });
//   storage.write(row, hold->token());       // refused if someone came after us
//   auto released = hold->release();         // optional: the destructor does it too
//
// A hold is void in a child process after fork(): there it answers as if lost,
// `release()` returns Errc::forked, and its destructor does nothing.

#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <memory>
#include <stop_token>

#include "holdfast/export.h"
#include "holdfast/result.h"

namespace holdfast {

namespace core {
class Lease;
}

// Grows with every grant of one resource. Zero: the engine cannot fence.
struct FencingToken {
  std::uint64_t value = 0;
  explicit operator bool() const noexcept { return value != 0; }
  auto operator<=>(const FencingToken&) const = default;
};

// Move-only. Not safe for concurrent use, except for the const members.
//
// What a hold answers, by its state:
//
//   state       valid()  lost()         token()    release()              destroyed
//   ----------  -------  -------------  ---------  ---------------------  ------------
//   held        true     not requested  its token  gives it back          gives it back
//   lost        false    requested      its token  Errc::not_held         nothing
//   released    false    requested      its token  nothing, and succeeds  nothing
//   moved from  false    requested      empty      nothing, and succeeds  nothing
//
// A lost hold keeps its token on purpose: the resource that it guards refuses that
// token once it has seen a larger one.
class [[nodiscard]] HOLDFAST_EXPORT Hold {
 public:
  Hold(Hold&&) noexcept;
  Hold& operator=(Hold&&) noexcept;

  // Like `release()`, but the outcome is discarded. On zookeeper the request is sent
  // and not awaited; the engine retries it until it is confirmed.
  ~Hold();

  FencingToken token() const noexcept;

  // Requested once, when the lease ends or the engine says that the hold is gone. Its
  // callbacks run on Holdfast's notifier threads, those of different holds perhaps at
  // the same time. They may block, which does not keep other holds from being told
  // (until 64 of a client's callbacks block at once); they must not throw. Also
  // requested, without cause, by `release()`: what was guarded is over.
  std::stop_token lost() const noexcept;

  // A lower bound by this host's clock (CLOCK_BOOTTIME), counted from when the last
  // renewal was sent, less the drift allowance. Zero once lost. nanoseconds::max():
  // this grant does not end by time.
  std::chrono::nanoseconds valid_for() const noexcept;
  bool valid() const noexcept { return valid_for() > std::chrono::nanoseconds::zero(); }

  // Gives the resource back and says whether the engine confirmed it.
  // Errc::not_held: it had been lost before. Later calls do nothing.
  Result<void> release() noexcept;

 protected:
  std::shared_ptr<core::Lease> lease_;

 private:
  friend class core::Lease;
  explicit Hold(std::shared_ptr<core::Lease> lease) noexcept;
};

}  // namespace holdfast
