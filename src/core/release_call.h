// SPDX-License-Identifier: Apache-2.0

// core/release_call.h - gives up a lease without a thread that waits.

#pragma once

#include <exception>
#include <memory>
#include <utility>

#include "core/call.h"
#include "core/lease.h"

namespace holdfast::core {

// An operation (core/call.h).
class ReleaseCall {
 public:
  explicit ReleaseCall(std::shared_ptr<Lease> lease)
      : lease_(std::move(lease)), waits_(!lease_->bound()->posts()) {}

  Result<WaitLoop::Step> step(const engine::Waker& waker) {
    if (!std::exchange(begun_, true)) {
      if (auto done = lease_->begin_release()) return end(*done);
      until_ = lease_->bound()->call_deadline();
    }
    if (waits_) return end(lease_->drop(Confirm::yes));
    const auto posted = post(waker);
    if (posted.under_way) return WaitLoop::Step{false, engine::Deadline::max()};
    if (!posted.answer) {
      waits_ = true;
      return WaitLoop::Step{false, engine::Deadline::min(), true};
    }
    return end(lease_->end_release(*posted.answer));
  }
  Result<void> finish(const Result<void>& ended) { return ended; }
  std::string_view name() const noexcept { return lease_->bound()->name(); }

 private:
  engine::Posted<void> post(const engine::Waker& waker) const noexcept {
    try {
      engine::Resource& resource = lease_->bound()->resource();
      return resource.post_drop(lease_->claim(), waker, until_);
    } catch (const std::exception&) {  // no memory
      return {};
    }
  }
  static Result<WaitLoop::Step> end(const Result<void>& released) {
    if (!released) return released.error();
    return WaitLoop::Step{true, {}};
  }

  const std::shared_ptr<Lease> lease_;
  engine::Deadline until_{};
  bool begun_ = false;
  bool waits_;  // whether the next step may wait for the engine
};

inline void release_async(std::shared_ptr<Lease> lease, Completion<void> done) {
  const auto client = lease->client_state();
  const BoundResource& bound = *lease->bound();
  const bool waits = bound.bounded() && !bound.posts();
  start_call<void, ReleaseCall>(client, waits, std::move(done), std::move(lease));
}

}  // namespace holdfast::core
