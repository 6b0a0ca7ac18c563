// SPDX-License-Identifier: Apache-2.0

// core/amendment.h - changes a granted claim at the engine.
//
//   engine::Claim reader = lease.claim();
//   reader.mode = engine::Mode::shared;
//   auto downgraded = Amendment(lease, reader).run();          // blocks
//   Lease::amend_async(lease, reader, std::move(done));        // does not
//
//   [wait until no other change is under way] -> ask -> [pause -> ask]* -> done
//
// The engine is asked until it answers, as in core/retry.h: it changes a claim once,
// however often it is asked. Renewals of the claim wait until the change is over.

#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/lease.h"
#include "core/wait_loop.h"

namespace holdfast::core {

// An operation (core/call.h) that lives as long as one call.
class Amendment {
 public:
  // `wanted` is made of what `lease.claim()` is now.
  Amendment(Lease& lease, const engine::Claim& wanted);
  Amendment(const Amendment&) = delete;
  Amendment& operator=(const Amendment&) = delete;

  Result<void> run();
  Result<WaitLoop::Step> step(const engine::Waker& waker);
  Result<void> finish(const Result<void>& ended) noexcept;

 private:
  Result<WaitLoop::Pause> poll_once(const engine::Waker& waker);
  Result<bool> begin(const engine::Waker& waker);
  bool end(const Result<void>& ended) noexcept;

  Lease& lease_;
  const engine::Claim held_;
  const std::string payload_;
  engine::Claim wanted_;
  WaitLoop loop_;
  bool begun_ = false;
  Clock::time_point sent_{};
  std::optional<engine::Granted> answer_;
};

// The same, without a thread that waits: it keeps the lease.
class AmendCall {
 public:
  AmendCall(std::shared_ptr<Lease> lease, const engine::Claim& wanted)
      : lease_(std::move(lease)), amendment_(*lease_, wanted) {}
  Result<WaitLoop::Step> step(const engine::Waker& waker) {
    return amendment_.step(waker);
  }
  Result<void> finish(const Result<void>& ended) noexcept {
    return amendment_.finish(ended);
  }
  std::string_view name() const noexcept { return lease_->bound()->name(); }

 private:
  const std::shared_ptr<Lease> lease_;
  Amendment amendment_;
};

}  // namespace holdfast::core
