// SPDX-License-Identifier: Apache-2.0

// tests/support/awaited.h - calls the asynchronous form of a call, and waits for it.
//
//   auto hold = awaited<Hold>([&](Completion<Hold> done) {
//     mutex.acquire_async(options, std::move(done));
//   });

#pragma once

#include <future>
#include <memory>
#include <utility>

#include "holdfast/completion.h"

namespace holdfast::test {

template <class T, class Start>
Result<T> awaited(Start&& start) {
  auto told = std::make_shared<std::promise<Result<T>>>();
  auto outcome = told->get_future();
  start(
      Completion<T>([told](Result<T> result) { told->set_value(std::move(result)); }));
  return outcome.get();
}

}  // namespace holdfast::test
