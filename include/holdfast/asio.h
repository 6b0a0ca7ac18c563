// SPDX-License-Identifier: Apache-2.0

// holdfast/asio.h - asynchronous calls with the completion tokens of Asio.
//
//   auto sell = [](holdfast::Mutex& stock) -> asio::awaitable<void> {
//     auto hold = co_await holdfast::async_acquire(stock, {.wait = 2s},
//                                                  asio::use_awaitable);
//     if (!hold) co_return report(hold.error());
//     table.update(row, hold->token());
//     (void)co_await holdfast::async_run(holdfast::released(std::move(*hold)),
//                                        asio::use_awaitable);
//   };
//   asio::io_context io;
//   asio::co_spawn(io, sell(mutex), asio::detached);
//   io.run();
//
// The header is for standalone Asio where <asio.hpp> is found, and otherwise, or if
// HOLDFAST_BOOST_ASIO is defined, for Boost.Asio. The completion's signature is
// void(Result<T>). It runs on the handler's associated executor, never inside the
// initiating call. Until then the call counts as outstanding work of that executor.
//
// A cancellation of any type that arrives at the handler's associated slot ends the
// wait with Errc::cancelled, as `WaitOptions::stop` does. Asio before 1.20, which is
// that of Boost 1.74, has no slots: there the stop token is the only way to cancel.
//
// The execution context has to outlive the calls: stop them, or close the client,
// before it is destroyed. When its `run()` has returned for want of work, none is left.

#pragma once

#include <exception>
#include <memory>
#include <optional>
#include <stop_token>
#include <type_traits>
#include <utility>
#include <variant>

#include "holdfast/export.h"  // says which standard is needed

#if !__has_include(<asio.hpp>) && !__has_include(<boost/asio.hpp>)
#error "holdfast/asio.h needs Asio: install libasio-dev or libboost-dev"
#elif defined(HOLDFAST_BOOST_ASIO) || !__has_include(<asio.hpp>)
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/version.hpp>
#define HOLDFAST_ASIO boost::asio
#define HOLDFAST_ASIO_NAMESPACE boost_asio
#if BOOST_ASIO_VERSION >= 102000
#define HOLDFAST_ASIO_SLOTS 1
#include <boost/asio/associated_cancellation_slot.hpp>
#endif
#if defined(BOOST_ASIO_HAS_CO_AWAIT) && defined(HOLDFAST_ASIO_SLOTS)
#define HOLDFAST_ASIO_AWAITABLE 1
#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>
#define HOLDFAST_ASIO_ERROR boost::system::system_error
#endif
#else
#include <asio/associated_executor.hpp>
#include <asio/async_result.hpp>
#include <asio/dispatch.hpp>
#include <asio/executor_work_guard.hpp>
#include <asio/post.hpp>
#include <asio/version.hpp>
#define HOLDFAST_ASIO asio
#define HOLDFAST_ASIO_NAMESPACE standalone_asio
#if ASIO_VERSION >= 102000
#define HOLDFAST_ASIO_SLOTS 1
#include <asio/associated_cancellation_slot.hpp>
#endif
#if defined(ASIO_HAS_CO_AWAIT) && defined(HOLDFAST_ASIO_SLOTS)
#define HOLDFAST_ASIO_AWAITABLE 1
#include <asio/awaitable.hpp>
#include <asio/bind_cancellation_slot.hpp>
#include <asio/cancellation_signal.hpp>
#include <asio/co_spawn.hpp>
#include <asio/error.hpp>
#include <asio/system_error.hpp>
#include <asio/this_coro.hpp>
#include <asio/use_awaitable.hpp>
#define HOLDFAST_ASIO_ERROR asio::system_error
#endif
#endif

#include "holdfast/operation.h"

namespace holdfast::inline v0 {
// A program may use both libraries, in different files.
inline namespace HOLDFAST_ASIO_NAMESPACE {
namespace net = HOLDFAST_ASIO;

// For async_run: a call under way, with the handler that waits for it.
template <class T, class Handler>
class AsioCall {
 public:
  AsioCall(const std::stop_token& other, Handler handler)
      : stop_(std::make_shared<LinkedStop>(other)),
        work_(net::get_associated_executor(handler)),
        handler_(std::move(handler)) {}

  // Starts the call. `call` is kept by its completion.
  template <class Start>
  static void start(std::unique_ptr<AsioCall> call, Operation<T, Start> operation) {
    AsioCall& self = *call;
    self.listen();
    auto stop = self.stop_->token();
    std::move(operation).start(std::move(stop),
                               [call = std::move(call)](Result<T> result) mutable {
                                 AsioCall::finish(std::move(call), std::move(result));
                               });
  }

 private:
  // The slot is the handler's: it is used on the handler's executor only.
  void listen() {
#ifdef HOLDFAST_ASIO_SLOTS
    auto slot = net::get_associated_cancellation_slot(handler_);
    if (!slot.is_connected()) return;
    slot.assign([stop = stop_](net::cancellation_type type) {
      if (type != net::cancellation_type::none) stop->request();
    });
#endif
  }

  static void finish(std::unique_ptr<AsioCall> call, Result<T> result) {
    // The posted function may have run, and with it the context's last work, before
    // `post` returns: until then this keeps the context running.
    const auto work = call->work_;
    net::post(work.get_executor(),
              [call = std::move(call), result = std::move(result)]() mutable {
                Handler handler = std::move(call->handler_);
#ifdef HOLDFAST_ASIO_SLOTS
                auto slot = net::get_associated_cancellation_slot(handler);
                if (slot.is_connected()) slot.clear();
#endif
                call.reset();
                std::move(handler)(std::move(result));
              });
  }

  std::shared_ptr<LinkedStop> stop_;
  net::executor_work_guard<net::associated_executor_t<Handler>> work_;
  Handler handler_;
};

// Runs the operation; `token` is any completion token.
template <class T, class Start, class Token>
auto async_run(Operation<T, Start> operation, Token&& token) {
  return net::async_initiate<Token, void(Result<T>)>(
      [](auto&& handler, Operation<T, Start> what) {
        using Call = AsioCall<T, std::decay_t<decltype(handler)>>;
        const auto other = what.stop();
        Call::start(
            std::make_unique<Call>(other, std::forward<decltype(handler)>(handler)),
            std::move(what));
      },
      token, std::move(operation));
}

// Waits for the lock, as `acquired` does.
template <class Lock, class Token>
auto async_acquire(Lock& lock, WaitOptions options, Token&& token) {
  return async_run(acquired(lock, std::move(options)), std::forward<Token>(token));
}

#ifdef HOLDFAST_ASIO_AWAITABLE

// The R of an awaitable<R>, and what a Work returns that runs under the hold of a Lock.
template <class>
struct AwaitableValue {};
template <class T, class Executor>
struct AwaitableValue<net::awaitable<T, Executor>> {
  using type = T;
};
template <class Lock, class Work>
using AwaitedUnder =
    typename AwaitableValue<std::invoke_result_t<Work&, HoldOf<Lock>&>>::type;

// Returns whether it is the exception of an operation of Asio that was cancelled.
inline bool is_abort(const std::exception_ptr& thrown) noexcept {
  try {
    if (thrown) std::rethrow_exception(thrown);
  } catch (const HOLDFAST_ASIO_ERROR& error) {
    return error.code() == net::error::operation_aborted;
  } catch (...) {
  }
  return false;
}

// Runs `work(hold)`, an awaitable, while the lock is held, and waits for the release:
//
//   auto sold = co_await with_hold(stock, {.wait = 2s}, [&](Hold& hold)
//                                      -> asio::awaitable<int> { ... });
//
// When the hold is lost, the work is cancelled (cancellation_type::terminal). The
// errors are those of `acquire`, and Errc::not_held: the hold was lost before the work
// had ended. A cancellation of the coroutine cancels the work, but not the release. An
// exception of the work is thrown on when the lock has been released, unless it only
// says that the work was cancelled because of the loss. The coroutine has to run on one
// thread or on a strand, as for every cancellation in Asio. The function exists only
// with Asio 1.20 (Boost 1.78) or later and a compiler that has asio::awaitable.
template <class Lock, class Work>
net::awaitable<Result<AwaitedUnder<Lock, Work>>> with_hold(Lock& lock,
                                                           WaitOptions options,
                                                           Work work) {
  using R = AwaitedUnder<Lock, Work>;
  auto hold = co_await async_acquire(lock, std::move(options), net::use_awaitable);
  if (!hold) co_return std::move(hold).error();

  auto executor = co_await net::this_coro::executor;
  auto outer = co_await net::this_coro::cancellation_state;
  const auto signal = std::make_shared<net::cancellation_signal>();
  std::conditional_t<std::is_void_v<R>, std::monostate, std::optional<R>> outcome;
  const auto run = [&]() -> net::awaitable<void> {
    if constexpr (std::is_void_v<R>) {
      co_await work(*hold);
    } else {
      outcome.emplace(co_await work(*hold));
    }
  };
  std::exception_ptr thrown;
  {
    const std::stop_callback on_loss(hold->lost(), [executor, signal] {
      net::post(executor, [signal] { signal->emit(net::cancellation_type::terminal); });
    });
    if (outer.slot().is_connected()) {
      outer.slot().assign(
          [signal](net::cancellation_type type) { signal->emit(type); });
    }
    try {
      co_await net::co_spawn(
          executor, run(),
          net::bind_cancellation_slot(signal->slot(), net::use_awaitable));
    } catch (...) {
      thrown = std::current_exception();
    }
    if (outer.slot().is_connected()) outer.slot().clear();
  }
  // In a coroutine that was cancelled, the next co_await would throw.
  const bool throws = co_await net::this_coro::throw_if_cancelled();
  co_await net::this_coro::throw_if_cancelled(false);
  const auto ended = co_await async_run(released(std::move(*hold)), net::use_awaitable);
  co_await net::this_coro::throw_if_cancelled(throws);
  // Any failure to release but the loss is Holdfast's to repair.
  const bool lost = !ended && ended.error() == Errc::not_held;
  if (thrown && !(lost && is_abort(thrown))) std::rethrow_exception(thrown);
  if (lost) co_return ended.error();
  if constexpr (std::is_void_v<R>) {
    co_return Result<void>();
  } else {
    co_return *std::move(outcome);
  }
}

#endif

}  // namespace HOLDFAST_ASIO_NAMESPACE
}  // namespace holdfast::inline v0

#undef HOLDFAST_ASIO
#undef HOLDFAST_ASIO_ERROR
#undef HOLDFAST_ASIO_NAMESPACE
