// SPDX-License-Identifier: Apache-2.0

// holdfast/execution.h - asynchronous calls as senders of std::execution.
//
//   auto sell =
//       holdfast::as_sender(holdfast::acquired(stock, {.wait = 2s})) |
//       stdexec::let_value([&](holdfast::Hold& hold) {
//         table.update(row, hold.token());
//         return holdfast::as_sender(holdfast::released(std::move(hold)));
//       });
//   stdexec::sync_wait(std::move(sell));
//
// The header is for stdexec, the reference implementation of std::execution
// (github.com/NVIDIA/stdexec), and is an error where <stdexec/execution.hpp> is not
// found. It was tried with nvhpc-24.09 and later.
//
// The sender completes in one of these ways, where completions run: on the client's
// runner, where it must not block, or through `ClientOptions::executor` (see
// holdfast/completion.h). `stdexec::continues_on` moves what follows elsewhere.
//
//   * set_value(T): the call has succeeded. There is no argument if it returns void.
//   * set_stopped(): the call ended with Errc::cancelled, because the receiver's stop
//     token was requested, or `WaitOptions::stop`; nothing of the call is left at the
//     engine, or the client is about to drop it. It is also called if the executor has
//     destroyed the completion without calling it.
//   * set_error(Failure): the call ended with another error, such as Errc::timed_out.
//
// A Hold that a pipeline destroys is given back by its destructor, which waits for the
// engine's answer: end the pipeline with `released`, as above.

#pragma once

#include "holdfast/export.h"  // says which standard is needed
#if !__has_include(<stdexec/execution.hpp>)
#error "holdfast/execution.h needs stdexec: add the include folder of NVIDIA/stdexec"
#endif

#include <concepts>
#include <exception>
#include <optional>
#include <stdexec/execution.hpp>
#include <type_traits>
#include <utility>

#include "holdfast/operation.h"

namespace holdfast::inline v0 {

// For as_sender: a call under way, with the receiver that waits for it. Both have to
// live until the receiver is told, as for every operation state.
template <class T, class Start, class Receiver>
class SenderState {
 public:
  using operation_state_concept = stdexec::operation_state_t;

  SenderState(Operation<T, Start> operation, Receiver receiver)
      : operation_(std::move(operation)), receiver_(std::move(receiver)) {}
  SenderState(const SenderState&) = delete;
  SenderState& operator=(const SenderState&) = delete;

  // The receiver may be told by another thread before this returns, and then this
  // object is gone: nothing of it is used after the call has been started.
  void start() & noexcept {
    try {
      Finish finish(this);
      auto operation = std::move(operation_);
      if constexpr (stdexec::unstoppable_token<StopToken>) {
        std::move(operation).start(std::move(finish));
      } else {
        stop_.emplace(operation.stop());
        on_stop_.emplace(stdexec::get_stop_token(stdexec::get_env(receiver_)),
                         RequestStop{&*stop_});
        auto stop = stop_->token();
        std::move(operation).start(std::move(stop), std::move(finish));
      }
    } catch (const std::exception&) {
      // There was no memory for the call. Its completion was destroyed, and has told
      // the receiver.
    }
  }

 private:
  using StopToken = stdexec::stop_token_of_t<stdexec::env_of_t<Receiver>>;
  struct RequestStop {
    LinkedStop* stop;
    void operator()() const noexcept { stop->request(); }
  };

  // The completion. If it is destroyed without being called, the receiver is told all
  // the same, because a sender has to complete.
  class Finish {
   public:
    explicit Finish(SenderState* state) noexcept : state_(state) {}
    Finish(Finish&& other) noexcept
        : state_(std::exchange(other.state_, nullptr)), throwing_(other.throwing_) {}
    Finish& operator=(Finish&&) = delete;
    ~Finish() {
      if (state_ == nullptr) return;
      const bool refused = std::uncaught_exceptions() > throwing_;
      state_->finish(refused ? Errc::full : Errc::cancelled);
    }
    void operator()(Result<T> result) {
      std::exchange(state_, nullptr)->finish(std::move(result));
    }

   private:
    SenderState* state_;
    int throwing_ = std::uncaught_exceptions();
  };

  void finish(Result<T> result) noexcept {
    on_stop_.reset();
    stop_.reset();
    if (result.has_value()) {
      if constexpr (std::is_void_v<T>) {
        stdexec::set_value(std::move(receiver_));
      } else {
        stdexec::set_value(std::move(receiver_), *std::move(result));
      }
    } else if (result.error() == Errc::cancelled) {
      stdexec::set_stopped(std::move(receiver_));
    } else {
      stdexec::set_error(std::move(receiver_), std::move(result).error());
    }
  }

  Operation<T, Start> operation_;
  Receiver receiver_;
  std::optional<LinkedStop> stop_;
  std::optional<stdexec::stop_callback_for_t<StopToken, RequestStop>> on_stop_;
};

// What `as_sender` returns. It is move-only if its operation is, and can be connected
// more than once if it is not.
template <class T, class Start>
class [[nodiscard]] OperationSender {
  template <class U>
  struct Value {
    using type = stdexec::set_value_t(U);
  };
  template <std::same_as<void> U>
  struct Value<U> {
    using type = stdexec::set_value_t();
  };

 public:
  using sender_concept = stdexec::sender_t;
  using completion_signatures = stdexec::completion_signatures<
      typename Value<T>::type, stdexec::set_error_t(Failure), stdexec::set_stopped_t()>;

  explicit OperationSender(Operation<T, Start> operation)
      : operation_(std::move(operation)) {}

  template <stdexec::receiver Receiver>
  auto connect(Receiver receiver) && {
    return SenderState<T, Start, Receiver>(std::move(operation_), std::move(receiver));
  }
  template <stdexec::receiver Receiver>
  requires std::copy_constructible<Operation<T, Start>>
  auto connect(Receiver receiver) const& {
    return SenderState<T, Start, Receiver>(operation_, std::move(receiver));
  }

 private:
  Operation<T, Start> operation_;
};

// Makes a sender of a call that has not been started yet. The call is started when the
// sender is connected and started; the primitive has to live until then.
template <class T, class Start>
OperationSender<T, Start> as_sender(Operation<T, Start> operation) {
  return OperationSender<T, Start>(std::move(operation));
}

}  // namespace holdfast::inline v0
