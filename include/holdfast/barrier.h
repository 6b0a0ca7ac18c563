// holdfast/barrier.h - a gate that one process shuts and another opens.
//
//   holdfast::Barrier maintenance(client, "maintenance");
//   auto set = maintenance.set();                 // from now on all wait here
//   auto free = maintenance.wait();               // in every worker, before each job
//   auto gone = maintenance.remove();             // all go on
//
// It outlives whoever set it. See holdfast/double_barrier.h for parties that enter and
// leave together.

#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "holdfast/client.h"
#include "holdfast/export.h"
#include "holdfast/lease.h"
#include "holdfast/result.h"

namespace holdfast {

// Safe for concurrent use.
class HOLDFAST_EXPORT Barrier {
 public:
  Barrier(Client client, std::string name);
  Barrier(const Barrier&) = delete;
  Barrier& operator=(const Barrier&) = delete;
  ~Barrier();

  // Whether it was this call that did it. False: it already was so.
  Result<bool> set();
  Result<bool> remove();

  Result<bool> is_set();

  // Until it is removed, or at once if it is not set. Errc::timed_out, cancelled, or
  // what the engine could not do.
  [[nodiscard]] Result<void> wait(const AcquireOptions& options = {});

  // False: it was still set when the time had passed. They throw holdfast::Error when
  // the engine could not answer.
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
