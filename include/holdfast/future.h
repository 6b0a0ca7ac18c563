// SPDX-License-Identifier: Apache-2.0

// holdfast/future.h - asynchronous calls whose outcome is a std::future.
//
//   std::future<holdfast::Result<holdfast::Hold>> coming =
//       holdfast::to_future(holdfast::acquired(mutex, {.wait = 2s}));
//   compute();
//   if (auto hold = coming.get()) table.update(row, hold->token());
//
// A future is for a program that starts something, does something else, and then waits
// in its own thread. A std::future that is destroyed does not wait and does not cancel:
// a hold that arrives later is released. To cancel, pass `WaitOptions::stop`.

#pragma once

#include <future>
#include <utility>

#include "holdfast/operation.h"

namespace holdfast::inline v0 {

// Starts the operation. `get()` returns the outcome; it throws std::future_error with
// broken_promise if the client's executor destroyed the completion without calling it.
template <class T, class Start>
[[nodiscard]] std::future<Result<T>> to_future(Operation<T, Start> operation) {
  std::promise<Result<T>> promise;
  auto future = promise.get_future();
  std::move(operation).start([promise = std::move(promise)](Result<T> result) mutable {
    promise.set_value(std::move(result));
  });
  return future;
}

}  // namespace holdfast::inline v0
