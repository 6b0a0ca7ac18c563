// holdfast/semaphore.h - a number of permits that processes and hosts share.
//
//   holdfast::Semaphore uploads(client, "uploads", 5);      // five at once
//   auto permit = uploads.acquire({.wait = 10s});           // one of them
//   auto three = uploads.acquire_many(3);                   // all or nothing
//
// A permit is leased and renewed like a lock: when its holder dies, it comes back.
// Requests are served in order of arrival, so that a large one is not starved.
//
// The holders cannot be fenced against each other: a token means nothing here.

#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "holdfast/client.h"
#include "holdfast/export.h"
#include "holdfast/hold.h"
#include "holdfast/lease.h"
#include "holdfast/result.h"

namespace holdfast {

// Permits in the caller's hand. Destroyed: all of them are given back.
class [[nodiscard]] HOLDFAST_EXPORT Permits : public Hold {
 public:
  std::uint32_t count() const noexcept;  // zero after `release()`

  using Hold::release;
  // Gives back some of them and keeps the rest. Errc::bad_argument: it has fewer;
  // Errc::not_held: it has none any more.
  Result<void> release(std::uint32_t permits) noexcept;

 private:
  friend class Semaphore;
  explicit Permits(Hold hold) noexcept;
};

// Safe for concurrent use. Its permits belong to whoever has the `Permits`.
class HOLDFAST_EXPORT Semaphore {
 public:
  // `permits`: how many there are, unless somebody has said so before. Zero: somebody
  // else says it.
  Semaphore(Client client, std::string name, std::uint32_t permits = 0,
            LeaseOptions lease = {});
  Semaphore(const Semaphore&) = delete;
  Semaphore& operator=(const Semaphore&) = delete;
  ~Semaphore();

  // One permit; as Mutex::acquire.
  [[nodiscard]] Result<Permits> acquire(const AcquireOptions& options = {}) {
    return acquire_many(1, options);
  }

  // So many at once, or none. Errc::bad_argument: there will never be so many, so that
  // waiting is in vain, or none was asked for.
  [[nodiscard]] Result<Permits> acquire_many(std::uint32_t permits,
                                             const AcquireOptions& options = {});

  // Nothing: they are taken, or the time passed. Throws holdfast::Error when the engine
  // could not answer.
  [[nodiscard]] std::optional<Permits> try_acquire(std::uint32_t permits = 1) {
    return try_acquire_for(Timeout::zero(), permits);
  }
  [[nodiscard]] std::optional<Permits> try_acquire_for(Timeout wait,
                                                       std::uint32_t permits = 1);
  template <class Clock, class Duration>
  [[nodiscard]] std::optional<Permits> try_acquire_until(
      const std::chrono::time_point<Clock, Duration>& deadline,
      std::uint32_t permits = 1) {
    return try_acquire_for(Timeout::until(deadline), permits);
  }

  // Says how many permits there are, for everybody. `try_set_permits` only if nobody
  // has said so before: whether it did. `set_permits` always: those who wait are served
  // from what is added; what is taken away is missing once it has been given back.
  Result<bool> try_set_permits(std::uint32_t permits);
  Result<void> set_permits(std::uint32_t permits);

  // How many there are, and how many of them nobody has. Zero: nobody has said so yet.
  Result<std::uint32_t> permits();
  Result<std::uint32_t> available();

  std::string_view name() const noexcept;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace holdfast
