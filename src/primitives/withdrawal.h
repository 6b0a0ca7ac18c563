// SPDX-License-Identifier: Apache-2.0

// primitives/withdrawal.h - takes back what an asynchronous call has put into its
// primitive, when no completion receives the result.

#pragma once

#include <memory>
#include <utility>

#include "core/release_call.h"

namespace holdfast::primitives {

// The `undo` of an operation (core/call.h). `Impl::withdraw(lease)` makes the primitive
// forget the lease; the lease is then released without waiting for the engine.
template <class Impl>
struct Withdrawal {
  std::shared_ptr<Impl> impl;
  std::shared_ptr<core::Lease> lease;

  void operator()() {
    impl->withdraw(lease);
    core::release_async(std::move(lease), [](const Result<void>&) {});
  }
};

}  // namespace holdfast::primitives
