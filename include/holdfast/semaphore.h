// SPDX-License-Identifier: Apache-2.0

// holdfast/semaphore.h - a number of permits that processes and hosts share.
//
//   holdfast::Semaphore uploads(client, "uploads", 5);      // five at once
//   auto permit = uploads.acquire({.wait = 10s});           // one of them
//   auto three = uploads.acquire_many(3);                   // all or nothing
//
// A permit is leased and renewed as a lock is: when its holder dies, the permit comes
// back. Requests are served in order of arrival, so that a large one does not starve.
//
// Several clients hold permits at the same time, so they cannot be fenced against each
// other: the token of a permit means nothing.

#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "holdfast/client.h"
#include "holdfast/completion.h"
#include "holdfast/export.h"
#include "holdfast/hold.h"
#include "holdfast/lease.h"
#include "holdfast/result.h"

namespace holdfast::inline v0 {

// Permits that the caller holds. The destructor gives all of them back. A loss concerns
// all of them at once; see `Hold`.
class [[nodiscard]] HOLDFAST_EXPORT Permits : public Hold {
 public:
  Permits() = default;  // an empty one, as an empty `Hold`

  // Returns how many permits are held: zero after a loss and after `release()`.
  std::uint32_t count() const noexcept;

  // `release()` gives back all permits, as in `Hold`. With a number it gives back that
  // many and keeps the rest. Errc::bad_argument: fewer are held, and none was given
  // back. Errc::not_held: none is held any more.
  using Hold::release;
  Result<void> release(std::uint32_t permits) noexcept;

  // Does the same without a thread that waits; see holdfast/completion.h. With all
  // permits, this object is empty as soon as the call returns; with fewer, `count()`
  // changes when the call is done. Errc::bad_argument: another such call was under way,
  // and this one did nothing.
  using Hold::release_async;
  void release_async(std::uint32_t permits, Completion<void> done);

 private:
  friend class Semaphore;
  explicit Permits(Hold hold) noexcept;
};

// A Semaphore is safe for concurrent use. Permits belong to the `Permits` object, not
// to the Semaphore or to a thread. The constructor reports no error: a name that is not
// allowed makes every later call fail.
class HOLDFAST_EXPORT Semaphore {
 public:
  // `permits` is the capacity that this semaphore gets with the first request if none
  // is stored yet. A capacity that is stored already wins, without an error. If it is
  // another one, the client logs a warning, once for each object, when this object gets
  // permits: the engine's grant says what is stored, so nothing more is asked. There is
  // no warning with `?semaphore=plain` on Redis, where only the free permits are
  // stored. `init_permits` returns an error instead. With zero, this object never sets
  // the capacity: until another client has set it, requests fail with
  // Errc::bad_argument.
  Semaphore(Client client, std::string name, std::uint32_t permits = 0,
            LeaseOptions lease = {});
  Semaphore(const Semaphore&) = delete;
  Semaphore& operator=(const Semaphore&) = delete;
  ~Semaphore();

  // Waits for one permit, and reports as Mutex::acquire does.
  [[nodiscard]] Result<Permits> acquire(const WaitOptions& options = {}) {
    return acquire_many(1, options);
  }

  // Waits for `permits` permits, all or nothing. Errc::bad_argument: `permits` is zero,
  // or more than the capacity, so that waiting would be in vain; a capacity that
  // shrinks ends a wait in the same way.
  [[nodiscard]] Result<Permits> acquire_many(std::uint32_t permits,
                                             const WaitOptions& options = {});

  // Do the same without a thread that waits; see holdfast/completion.h.
  void acquire_async(const WaitOptions& options, Completion<Permits> done) {
    acquire_many_async(1, options, std::move(done));
  }
  void acquire_many_async(std::uint32_t permits, const WaitOptions& options,
                          Completion<Permits> done);

  // Set the capacity, for all clients. `init_permits` sets it only if none is stored
  // yet, and returns whether it did. Errc::bad_argument: another number is stored,
  // which the message names. A program that relies on its own number calls it once, at
  // its start. `set_permits` sets the capacity in any case: added permits go to the
  // waiters; permits that are taken away disappear as their holders give them back.
  // This object then states that number.
  Result<bool> init_permits(std::uint32_t permits);
  Result<void> set_permits(std::uint32_t permits);

  // Return the capacity, and how many permits of it are free. Both are zero while no
  // capacity is stored.
  Result<std::uint32_t> permits();
  Result<std::uint32_t> available();

  // Do the same without a thread that waits.
  void init_permits_async(std::uint32_t permits, Completion<bool> done);
  void set_permits_async(std::uint32_t permits, Completion<void> done);
  void permits_async(Completion<std::uint32_t> done);
  void available_async(Completion<std::uint32_t> done);

  std::string_view name() const noexcept;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace holdfast::inline v0
