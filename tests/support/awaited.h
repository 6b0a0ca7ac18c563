// SPDX-License-Identifier: Apache-2.0

// tests/support/awaited.h - calls the asynchronous form of a call, and waits for it.
//
//   auto hold = awaited<Hold>([&](Completion<Hold> done) {
//     mutex.acquire_async(options, std::move(done));
//   });

#pragma once

#include <cstdlib>
#include <future>
#include <utility>

#include "holdfast/completion.h"

namespace holdfast::test {

// Whether the cases that are written for a shape (conformance/exclusive.h) call the
// asynchronous forms: a second run of the same cases asks for it.
inline bool asynchronous() {
  static const bool asked = std::getenv("HOLDFAST_TEST_ASYNC") != nullptr;
  return asked;
}

template <class T, class Start>
Result<T> awaited(Start&& start) {
  auto told = std::make_shared<std::promise<Result<T>>>();
  auto outcome = told->get_future();
  start(
      Completion<T>([told](Result<T> result) { told->set_value(std::move(result)); }));
  return outcome.get();
}

}  // namespace holdfast::test
