// SPDX-License-Identifier: Apache-2.0

// core/call.h - makes an asynchronous call of the steps of an operation.
//
//   start_call<Hold, LeaseCall<Hold, ToHold>>(client, waits, std::move(done), ...);
//
// An operation takes steps and then says what came of them:
//
//   Result<WaitLoop::Step> step(const engine::Waker& waker);
//   Result<T> finish(const Result<void>& ended);           // or, with the client:
//   Result<T> finish(const Result<void>& ended, const std::shared_ptr<ClientState>&);
//   std::optional<WaitLoop::Step> begin(const engine::Waker& waker);   // as
//   Task::begin
//
// `begin` may be left out. The blocking form of a call drives the same operation on the
// caller's thread.

#pragma once

#include <exception>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "core/client_state.h"
#include "core/runner.h"
#include "core/task.h"
#include "holdfast/completion.h"

namespace holdfast::core {

template <class T, class Operation>
class Call final : public Task {
 public:
  template <class... Args>
  Call(std::shared_ptr<ClientState> client, bool waits, Completion<T> done,
       Args&&... args)
      : Task(waits),
        client_(std::move(client)),
        done_(std::move(done)),
        state_(std::in_place_index<0>, std::forward<Args>(args)...) {}

  std::optional<WaitLoop::Step> begin(const engine::Waker& self) noexcept override {
    if constexpr (requires { std::get<0>(state_).begin(self); }) {
      return std::get<0>(state_).begin(self);
    } else {
      return std::nullopt;
    }
  }

  WaitLoop::Step step(const engine::Waker& self) noexcept override {
    try {
      const auto next = std::get<0>(state_).step(self);
      if (next && !next->done) return *next;
      finish(next ? Result<void>() : Result<void>(next.error()));
    } catch (const std::exception& error) {  // no memory, or the caller's own function
      finish(Failure(Errc::full, error.what()));
    }
    return {true, {}};
  }

  void fail(const Failure& why) noexcept override { state_.template emplace<1>(why); }

  // The client is let go first, so that it is gone when the completion tells of it.
  void complete() override {
    Result<T> outcome = std::move(std::get<1>(state_));
    Completion<T> done = std::move(done_);
    client_.reset();
    done(std::move(outcome));
  }

 private:
  void finish(const Result<void>& ended) noexcept {
    Operation& operation = std::get<0>(state_);
    Result<T> outcome = [&] {
      if constexpr (requires { operation.finish(ended, client_); }) {
        return operation.finish(ended, client_);
      } else {
        return operation.finish(ended);
      }
    }();
    state_.template emplace<1>(std::move(outcome));
  }

  std::shared_ptr<ClientState> client_;  // outlives the operation
  Completion<T> done_;
  std::variant<Operation, Result<T>> state_;
};

template <class T, class Operation, class... Args>
void start_call(const std::shared_ptr<ClientState>& client, bool waits,
                Completion<T> done, Args&&... args) {
  client->start(std::make_shared<Call<T, Operation>>(client, waits, std::move(done),
                                                     std::forward<Args>(args)...));
}

// An operation whose outcome is known from the beginning.
template <class T>
class Known {
 public:
  explicit Known(Result<T> outcome) : outcome_(std::move(outcome)) {}
  Result<WaitLoop::Step> step(const engine::Waker&) { return WaitLoop::Step{true, {}}; }
  Result<T> finish(const Result<void>&) { return std::move(outcome_); }

 private:
  Result<T> outcome_;
};

// Completes a call that needs no engine, but not inside the call itself.
template <class T>
void complete_soon(const std::shared_ptr<ClientState>& client, Completion<T> done,
                   Result<T> outcome) {
  constexpr bool kWaits = false;
  start_call<T, Known<T>>(client, kWaits, std::move(done), std::move(outcome));
}

// Completes a call that has no client, on a thread of its own.
template <class T>
void complete_apart(Completion<T> done, Result<T> outcome) {
  constexpr bool kWaits = false;
  const auto call = std::make_shared<Call<T, Known<T>>>(
      nullptr, kWaits, std::move(done), std::move(outcome));
  (void)call->step(nullptr);
  Runner::complete_apart(call, Executor());
}

}  // namespace holdfast::core
