// SPDX-License-Identifier: Apache-2.0

// holdfast/operation.h - an asynchronous call that has not been started yet.
//
//   auto operation = holdfast::acquired(mutex, {.wait = 2s});
//   std::move(operation).start([](holdfast::Result<holdfast::Hold> hold) {
//     if (!hold) report(hold.error());
//   });
//
// Programs seldom use this header by itself. An operation is what the adapters share:
//
// * `co_await acquired(mutex)` of holdfast/coroutine.h;
// * `to_future(acquired(mutex))` of holdfast/future.h;
// * `async_run(acquired(mutex), token)` of holdfast/asio.h;
// * `as_sender(acquired(mutex))` of holdfast/execution.h.
//
// The functions below make the operations of calls that wait for others. Every other
// call whose name ends in `_async` becomes an operation like this:
//
//   auto add = holdfast::operation<holdfast::Change>(
//       [&](const auto&, auto done) { counter.add_async(1, std::move(done)); });
//   (void)add;

#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "holdfast/completion.h"
#include "holdfast/double_barrier.h"
#include "holdfast/election.h"
#include "holdfast/lease.h"
#include "holdfast/recursive_mutex.h"
#include "holdfast/result.h"

namespace holdfast::inline v0 {

// What will be started: a function of `const WaitOptions&` and `Completion<T>`, and the
// options for it. An operation refers to the primitive, which must live until the
// operation is started; after that, the call keeps what it needs. An operation that is
// destroyed has done nothing. It is move-only if its function is.
template <class T, class Start>
class [[nodiscard]] Operation {
 public:
  using value_type = T;

  Operation(WaitOptions options, Start start)
      : options_(std::move(options)), start_(std::move(start)) {}

  // What cancels the operation, besides the adapter that runs it.
  const std::stop_token& stop() const noexcept { return options_.stop; }

  // Starts the call, once. The second form is for adapters: it is cancelled by `stop`
  // and no longer by what `stop()` returned.
  void start(Completion<T> done) && {
    std::move(start_)(std::as_const(options_), std::move(done));
  }
  void start(std::stop_token stop, Completion<T> done) && {
    options_.stop = std::move(stop);
    std::move(*this).start(std::move(done));
  }

 private:
  WaitOptions options_;
  Start start_;
};

template <class T, class Start>
Operation<T, Start> operation(WaitOptions options, Start start) {
  return {std::move(options), std::move(start)};
}
template <class T, class Start>
Operation<T, Start> operation(Start start) {
  return {{}, std::move(start)};
}

// What a lock's `acquire` gives: a Hold, a SharedHold, Permits or a MultiHold.
template <class Lock>
using HoldOf =
    typename decltype(std::declval<Lock&>().acquire(WaitOptions()))::value_type;

// Waits for the lock: Mutex, FairMutex, SharedMutex, MultiLock, Semaphore.
template <class Lock>
requires requires(Lock& lock, const WaitOptions& options) { *lock.acquire(options); }
auto acquired(Lock& lock, WaitOptions options = {}) {
  using T = HoldOf<Lock>;
  return operation<T>(std::move(options),
                      [&lock](const WaitOptions& how, Completion<T> done) {
                        lock.acquire_async(how, std::move(done));
                      });
}

// Waits until `owner` has entered the lock once more.
inline auto acquired(RecursiveMutex& lock, RecursiveMutex::Owner owner,
                     WaitOptions options = {}) {
  return operation<void>(std::move(options),
                         [&lock, owner](const WaitOptions& how, Completion<void> done) {
                           lock.acquire_async(owner, how, std::move(done));
                         });
}

// Waits for the lock as a reader.
template <class Lock>
auto acquired_shared(Lock& lock, WaitOptions options = {}) {
  using T = typename decltype(lock.acquire_shared(options))::value_type;
  return operation<T>(std::move(options),
                      [&lock](const WaitOptions& how, Completion<T> done) {
                        lock.acquire_shared_async(how, std::move(done));
                      });
}

// Waits for so many permits of a Semaphore.
template <class Lock>
auto acquired_many(Lock& lock, std::uint32_t permits, WaitOptions options = {}) {
  using T = typename decltype(lock.acquire_many(permits, options))::value_type;
  return operation<T>(std::move(options),
                      [&lock, permits](const WaitOptions& how, Completion<T> done) {
                        lock.acquire_many_async(permits, how, std::move(done));
                      });
}

// Gives back a Hold, a SharedHold, Permits or a MultiHold. If the operation is not
// started, the hold's destructor gives it back.
template <class H>
requires(!std::is_lvalue_reference_v<H>) auto released(H&& hold) {
  return operation<void>([hold = std::forward<H>(hold)](const WaitOptions&,
                                                        Completion<void> done) mutable {
    hold.release_async(std::move(done));
  });
}

// Waits until a Latch or a Barrier is open.
template <class Waitable>
auto waited(Waitable& waitable, WaitOptions options = {}) {
  return operation<void>(std::move(options),
                         [&waitable](const WaitOptions& how, Completion<void> done) {
                           waitable.wait_async(how, std::move(done));
                         });
}

// Wait until all parties are in, and until all have left.
inline auto entered(DoubleBarrier& barrier, WaitOptions options = {}) {
  return operation<void>(std::move(options),
                         [&barrier](const WaitOptions& how, Completion<void> done) {
                           barrier.enter_async(how, std::move(done));
                         });
}
inline auto left(DoubleBarrier& barrier, WaitOptions options = {}) {
  return operation<void>(std::move(options),
                         [&barrier](const WaitOptions& how, Completion<void> done) {
                           barrier.leave_async(how, std::move(done));
                         });
}

// Waits until this candidate leads.
inline auto elected(Election& election, std::string payload = {},
                    WaitOptions options = {}) {
  return operation<void>(std::move(options),
                         [&election, payload = std::move(payload)](
                             const WaitOptions& how, Completion<void> done) {
                           election.campaign_async(payload, how, std::move(done));
                         });
}

// For adapters: a stop_source that another stop_token also requests.
class LinkedStop {
 public:
  explicit LinkedStop(const std::stop_token& other) {
    if (other.stop_possible()) link_.emplace(other, Request{source_});
  }
  LinkedStop(const LinkedStop&) = delete;
  LinkedStop& operator=(const LinkedStop&) = delete;

  std::stop_token token() const noexcept { return source_.get_token(); }
  void request() noexcept { source_.request_stop(); }

 private:
  struct Request {
    std::stop_source source;
    void operator()() noexcept { source.request_stop(); }
  };
  std::stop_source source_;
  std::optional<std::stop_callback<Request>> link_;
};

}  // namespace holdfast::inline v0
