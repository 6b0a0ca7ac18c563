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
//   std::optional<WaitLoop::Step> begin(const engine::Waker& waker);  // as Task::begin
//   std::string_view name() const noexcept;                // as Task::name
//   Undo undo();
//
// The last three may be left out. `undo` is called after a `finish` that succeeded, and
// returns a function that takes back what the operation has acquired, without waiting
// for the engine. It is called if no completion receives the result. A Hold and its
// like need none.
//
// The blocking form of a call drives the same operation on the caller's thread.

#pragma once

#include <exception>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include "base/common_failures.h"
#include "core/client_state.h"
#include "core/runner.h"
#include "core/task.h"
#include "holdfast/completion.h"

namespace holdfast::core {

struct NoUndo {};
template <class Operation>
struct UndoOf {
  using type = NoUndo;
};
template <class Operation>
requires requires(Operation& operation) { operation.undo(); }
struct UndoOf<Operation> {
  using type = decltype(std::declval<Operation&>().undo());
};

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
  ~Call() override { abandon(); }

  std::optional<WaitLoop::Step> begin(const engine::Waker& self) noexcept override {
    if constexpr (requires { std::get<0>(state_).begin(self); }) {
      try {
        return std::get<0>(state_).begin(self);
      } catch (const std::exception&) {  // no memory; the first step tries again
      }
    }
    return std::nullopt;
  }

  WaitLoop::Step step(const engine::Waker& self) noexcept override {
    try {
      const auto next = std::get<0>(state_).step(self);
      if (next && !next->done) return *next;
      finish(next ? Result<void>() : Result<void>(next.error()));
    } catch (const std::exception& error) {  // no memory, or the caller's own function
      finish(cannot_complete(error));
    }
    return {true, {}};
  }

  std::string_view name() const noexcept override {
    if constexpr (requires { std::get<0>(state_).name(); }) {
      if (const auto* const operation = std::get_if<0>(&state_)) {
        return operation->name();
      }
    }
    return {};
  }

  void fail(const Failure& why) noexcept override {
    state_.template emplace<1>(Outcome{why, std::nullopt});
  }

  // The client is let go first, so that it is gone when the completion tells of it.
  void complete() override {
    if (!done_.accept()) return abandon();
    Outcome outcome = std::move(std::get<1>(state_));
    Completion<T> done = std::move(done_);
    outcome.undo.reset();
    client_.reset();
    done(std::move(outcome.result));
  }

  void abandon() noexcept override {
    if (!done_) return;
    if (auto* const outcome = std::get_if<1>(&state_)) take_back(*outcome);
    done_ = {};
    client_.reset();
  }

 private:
  struct Outcome {
    Result<T> result;
    std::optional<typename UndoOf<Operation>::type> undo;  // if there is something
  };

  static void take_back(Outcome& outcome) noexcept {
    if (!outcome.result.has_value()) return;
    try {
      if constexpr (requires { (*outcome.undo)(); }) {
        (*outcome.undo)();
        outcome.undo.reset();
      } else if constexpr (requires {
                             outcome.result->release_async(Completion<void>());
                           }) {
        outcome.result->release_async([](const Result<void>&) {});
      }
    } catch (const std::exception&) {
      // There is no memory for a call. The destructor of a hold waits for the engine.
    }
  }

  Failure cannot_complete(const std::exception& thrown) const noexcept {
    const std::string_view asked = name();
    return base::out_of_resources(thrown,
                                  asked.empty() ? "complete an asynchronous call"
                                                : "complete an asynchronous call for",
                                  asked);
  }

  void finish(const Result<void>& ended) noexcept {
    Operation& operation = std::get<0>(state_);
    Result<T> outcome = [&]() -> Result<T> {
      try {
        if constexpr (requires { operation.finish(ended, client_); }) {
          return operation.finish(ended, client_);
        } else {
          return operation.finish(ended);
        }
      } catch (const std::exception& error) {  // no memory, as for the sentence
        return cannot_complete(error);
      }
    }();
    std::optional<typename UndoOf<Operation>::type> undo;
    if constexpr (requires { operation.undo(); }) {
      if (outcome.has_value()) undo.emplace(operation.undo());
    }
    state_.template emplace<1>(Outcome{std::move(outcome), std::move(undo)});
  }

  std::shared_ptr<ClientState> client_;  // outlives the operation
  Completion<T> done_;
  std::variant<Operation, Outcome> state_;
};

template <class T, class Operation, class... Args>
void start_call(const std::shared_ptr<ClientState>& client, bool waits,
                Completion<T> done, Args&&... args) {
  client->start(std::make_shared<Call<T, Operation>>(client, waits, std::move(done),
                                                     std::forward<Args>(args)...));
}

// An operation whose outcome is known from the beginning.
template <class T>
class ReadyResult {
 public:
  explicit ReadyResult(Result<T> outcome) : outcome_(std::move(outcome)) {}
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
  start_call<T, ReadyResult<T>>(client, kWaits, std::move(done), std::move(outcome));
}

// Completes a call that has no client, on a thread of its own.
template <class T>
void complete_on_new_thread(Completion<T> done, Result<T> outcome) {
  constexpr bool kWaits = false;
  const auto call = std::make_shared<Call<T, ReadyResult<T>>>(
      nullptr, kWaits, std::move(done), std::move(outcome));
  (void)call->step(nullptr);
  Runner::complete_without_runner(call, Executor());
}

}  // namespace holdfast::core
