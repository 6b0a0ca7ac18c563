// holdfast/latch.h - wait until so many things have happened, wherever they happen.
//
//   holdfast::Latch ready(client, "deploy/42");
//   auto set = ready.try_set_count(3);            // by anyone, once
//   auto left = ready.count_down();               // by each of three workers
//   auto open = ready.wait({.wait = 1min});       // by all that depend on them
//
// The count outlives everybody who changed it. A latch that was never set, or that has
// come to zero, is open; then it can be set again.

#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "holdfast/client.h"
#include "holdfast/export.h"
#include "holdfast/lease.h"
#include "holdfast/result.h"

namespace holdfast {

// Safe for concurrent use.
class HOLDFAST_EXPORT Latch {
 public:
  Latch(Client client, std::string name);
  Latch(const Latch&) = delete;
  Latch& operator=(const Latch&) = delete;
  ~Latch();

  // Sets an open latch, to one or more. False: it is closed already, and keeps its
  // count.
  Result<bool> try_set_count(std::int64_t count);

  // By one or more. What is left, never below zero: an open latch stays open. Counted
  // once, also when the first answer was lost on its way. Errc::outcome_unknown: no
  // answer came for as long as a lease, and it may have been counted; calling again
  // would count again.
  Result<std::int64_t> count_down(std::int64_t by = 1);
  Result<std::int64_t> count();

  // Until it is open. Errc::timed_out, cancelled, or what the engine could not do.
  [[nodiscard]] Result<void> wait(const AcquireOptions& options = {});

  // False: it is closed, or still was when the time had passed. They throw
  // holdfast::Error when the engine could not answer.
  [[nodiscard]] bool try_wait() { return wait_for(Timeout::zero()); }
  [[nodiscard]] bool wait_for(Timeout span);
  template <class Clock, class Duration>
  [[nodiscard]] bool wait_until(
      const std::chrono::time_point<Clock, Duration>& deadline) {
    return wait_for(Timeout::until(deadline));
  }

  std::string_view name() const noexcept;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace holdfast
