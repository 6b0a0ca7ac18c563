// SPDX-License-Identifier: Apache-2.0

// core/retry_call.h - repeats a question to the engine without a thread that waits.

#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "core/call.h"

namespace holdfast::core {

// An operation (core/call.h) that works as call_with_retry does. `Ask` is called with
// the resource and a deadline, and returns a Result<T>; it must be idempotent.
template <class T, class Ask>
class RetryCall {
 public:
  RetryCall(BoundResourcePtr bound, Ask ask)
      : bound_(std::move(bound)),
        ask_(std::move(ask)),
        loop_(*bound_, Timeout::forever(), nullptr) {}

  Result<WaitLoop::Step> step(const engine::Waker& waker) {
    if (!bound_->client().usable())
      return bound_->client().why_unusable(bound_->name());
    return loop_.step(waker, [this](const engine::Waker&) -> Result<WaitLoop::Pause> {
      auto answer = ask_(*bound_, loop_.call_deadline(Clock::now()));
      if (!answer.has_value()) return std::move(answer).error();
      answer_.emplace(*std::move(answer));
      return WaitLoop::Pause();
    });
  }
  Result<T> finish(const Result<void>& ended) {
    if (!ended) return ask_.explain(*bound_, ended.error());
    return *std::move(answer_);
  }
  std::string_view name() const noexcept { return bound_->name(); }

 private:
  const BoundResourcePtr bound_;
  Ask ask_;
  WaitLoop loop_;
  std::optional<T> answer_;
};

template <class T, class Ask>
void retry_async(const std::shared_ptr<ClientState>& client,
                 const BoundResourcePtr& bound, Ask ask, Completion<T> done) {
  start_call<T, RetryCall<T, Ask>>(client, bound->bounded(), std::move(done), bound,
                                   std::move(ask));
}

// An operation of one step, which may wait for a server: a function without arguments
// that returns a Result<T>.
template <class T, class F>
class OneStep {
 public:
  explicit OneStep(F work) : work_(std::move(work)) {}
  Result<WaitLoop::Step> step(const engine::Waker&) { return WaitLoop::Step{true, {}}; }
  Result<T> finish(const Result<void>& ended) {
    if (!ended) return ended.error();
    return work_();
  }

 private:
  F work_;
};

template <class T, class F>
void do_async(const std::shared_ptr<ClientState>& client, bool waits, F work,
              Completion<T> done) {
  start_call<T, OneStep<T, F>>(client, waits, std::move(done), std::move(work));
}

}  // namespace holdfast::core
