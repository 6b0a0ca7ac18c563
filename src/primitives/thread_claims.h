// primitives/thread_claims.h - what each thread has of one shared mutex.

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <stop_token>

#include "base/mutex.h"
#include "core/client_state.h"
#include "core/lease.h"

namespace holdfast::primitives {

// One for all SharedMutex objects of one name and client. A thread has one claim at the
// engine, whatever it has entered and how often. Safe for concurrent use.
class ThreadClaims final : public core::Companion {
 public:
  explicit ThreadClaims(core::BoundPtr bound) : bound_(std::move(bound)) {}

  const core::BoundPtr& bound() const noexcept { return bound_; }

  // One level more of the side that `request` names. Errc::would_deadlock: a reader
  // asks for the write side. Errc::not_held: the hold was lost, and has not been left
  // yet.
  Result<void> enter(const core::AcquireRequest& request);

  // One level less. Errc::not_owner: the thread does not have that side.
  Result<void> leave(engine::Mode mode) noexcept;

  // Of the calling thread; null: it has none.
  std::shared_ptr<core::Lease> lease() const noexcept;

  bool idle() const noexcept override;

 private:
  struct Levels {
    std::size_t writes = 0;
    std::size_t reads = 0;
    std::shared_ptr<core::Lease> lease;
    std::size_t& of(engine::Mode mode) noexcept {
      return mode == engine::Mode::exclusive ? writes : reads;
    }
  };

  const core::BoundPtr bound_;
  mutable base::Mutex mutex_;
  std::map<std::uint64_t, Levels> threads_ HOLDFAST_GUARDED_BY(mutex_);
};

}  // namespace holdfast::primitives
