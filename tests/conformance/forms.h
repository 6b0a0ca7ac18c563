// SPDX-License-Identifier: Apache-2.0

// tests/conformance/forms.h - calls the blocking or the asynchronous form of a call, as
// tests/support/awaited.h says.

#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>

#include "holdfast/election.h"
#include "holdfast/semaphore.h"
#include "holdfast/shared_count.h"
#include "holdfast/shared_mutex.h"
#include "support/awaited.h"

namespace holdfast::test {

inline Result<void> downgrade(SharedHold& hold) {
  if (!asynchronous()) return hold.downgrade();
  return awaited<void>([&](auto done) { hold.downgrade_async(std::move(done)); });
}

inline Result<void> give_back(Permits& permits, std::uint32_t many) {
  if (!asynchronous()) return permits.release(many);
  return awaited<void>(
      [&](auto done) { permits.release_async(many, std::move(done)); });
}

inline Result<bool> init_permits(Semaphore& semaphore, std::uint32_t permits) {
  if (!asynchronous()) return semaphore.init_permits(permits);
  return awaited<bool>(
      [&](auto done) { semaphore.init_permits_async(permits, std::move(done)); });
}

inline Result<void> set_permits(Semaphore& semaphore, std::uint32_t permits) {
  if (!asynchronous()) return semaphore.set_permits(permits);
  return awaited<void>(
      [&](auto done) { semaphore.set_permits_async(permits, std::move(done)); });
}

inline Result<std::uint32_t> capacity(Semaphore& semaphore) {
  if (!asynchronous()) return semaphore.permits();
  return awaited<std::uint32_t>(
      [&](auto done) { semaphore.permits_async(std::move(done)); });
}

inline Result<std::uint32_t> available(Semaphore& semaphore) {
  if (!asynchronous()) return semaphore.available();
  return awaited<std::uint32_t>(
      [&](auto done) { semaphore.available_async(std::move(done)); });
}

inline Result<void> proclaim(Election& election, std::string_view payload) {
  if (!asynchronous()) return election.proclaim(payload);
  return awaited<void>(
      [&](auto done) { election.proclaim_async(payload, std::move(done)); });
}

inline Result<Subscription> on_change(SharedCount& count,
                                      std::function<void(const Versioned&)> listener,
                                      Executor executor = {}) {
  if (!asynchronous()) return count.on_change(std::move(listener), std::move(executor));
  return awaited<Subscription>([&](auto done) {
    count.on_change_async(std::move(listener), std::move(executor), std::move(done));
  });
}

}  // namespace holdfast::test
