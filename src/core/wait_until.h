// SPDX-License-Identifier: Apache-2.0

// core/wait_until.h - waits until the state of a resource is what the caller wants.

#pragma once

#include <exception>
#include <memory>
#include <utility>

#include "base/common_failures.h"
#include "core/call.h"
#include "core/wait_loop.h"

namespace holdfast::core {

// An operation (core/call.h). `Look` has two members:
//
//   // Returns whether the state is reached.
//   Result<bool> operator()(const BoundResource& bound, engine::Deadline until);
//   // Returns what Errc::timed_out is to say.
//   std::string still(const BoundResource& bound) const;
//
// No watch is set before the first look. The errors are those of WaitLoop::run.
template <class Look>
class WaitUntil {
 public:
  WaitUntil(BoundResourcePtr bound, WaitOptions options, Look look)
      : bound_(std::move(bound)),
        options_(std::move(options)),
        look_(std::move(look)),
        loop_(*bound_, options_.wait, &options_.stop) {
    loop_.start();
  }

  Result<void> run() {
    if (!bound_->client().usable())
      return bound_->client().why_unusable(bound_->name());
    try {
      return finish(
          loop_.run(WaitLoop::First::bare,
                    [this](const engine::Waker& waker) { return poll_once(waker); }));
    } catch (const std::exception& error) {
      return base::out_of_resources(error, "wait for", bound_->name());
    }
  }

  Result<WaitLoop::Step> step(const engine::Waker& waker) {
    if (!bound_->client().usable())
      return bound_->client().why_unusable(bound_->name());
    const bool bare = !std::exchange(asked_, true);
    return loop_.step(bare ? nullptr : waker,
                      [this](const engine::Waker& armed) { return poll_once(armed); });
  }
  Result<void> finish(const Result<void>& ended) {
    if (ended || ended.error().code != Errc::timed_out) return ended;
    return Failure(Errc::timed_out, look_.still(*bound_));
  }
  std::string_view name() const noexcept { return bound_->name(); }

 private:
  // The watch is set before the look, so that no change between the two is missed.
  Result<WaitLoop::Pause> poll_once(const engine::Waker& waker) {
    if (waker != nullptr && watch_.keep == nullptr) {
      auto made = bound_->resource().watch(waker, loop_.call_deadline(Clock::now()));
      if (!made) return std::move(made).error();
      watch_ = *std::move(made);
    }
    const auto so = look_(*bound_, loop_.call_deadline(Clock::now()));
    if (!so.has_value()) return so.error();
    if (*so) return WaitLoop::Pause();
    return WaitLoop::Pause(watch_.retry_after);
  }

  const BoundResourcePtr bound_;
  const WaitOptions options_;
  Look look_;
  WaitLoop loop_;
  engine::Watch watch_{};
  bool asked_ = false;
};

template <class Look>
Result<void> wait_until(const BoundResourcePtr& bound, const WaitOptions& options,
                        Look look) {
  return WaitUntil<Look>(bound, options, std::move(look)).run();
}

template <class Look>
void wait_until_async(const std::shared_ptr<ClientState>& client,
                      const BoundResourcePtr& bound, const WaitOptions& options,
                      Look look, Completion<void> done) {
  start_call<void, WaitUntil<Look>>(client, bound->bounded(), std::move(done), bound,
                                    options, std::move(look));
}

}  // namespace holdfast::core
