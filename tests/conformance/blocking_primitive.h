// SPDX-License-Identifier: Apache-2.0

// tests/conformance/blocking_primitive.h - any primitive that makes callers wait, by
// one interface.
//
//   BlockingPrimitive holder(Shape::latch, client, name);
//   holder.block();                  // set to one
//   waiter.wait({.wait = 100ms});    // Errc::timed_out
//   holder.unblock();                // counted down
//
// A lock is blocked by its holder, a latch or a barrier by the client that set it. A
// client that has waited for a lock holds it, so it is blocked again until that client
// unblocks it.

#pragma once

#include <functional>
#include <memory>
#include <string>

#include "conformance/exclusive.h"

namespace holdfast::test {

class BlockingPrimitive {
 public:
  BlockingPrimitive(Shape shape, const Client& client, const std::string& name,
                    const LeaseOptions& lease = {});
  ~BlockingPrimitive();
  BlockingPrimitive(BlockingPrimitive&&) noexcept;

  Result<void> block();
  Result<void> wait(const WaitOptions& options = {});
  Result<void> unblock();

  // Returns whether it is still blocked, as far as its holder knows.
  bool valid() const;

 private:
  class Impl;
  class Lock;
  class Reader;
  class LatchImpl;
  class BarrierImpl;
  static std::unique_ptr<Impl> make(Shape shape, const Client& client,
                                    const std::string& name, const LeaseOptions& lease);
  std::unique_ptr<Impl> impl_;
};

// Returns whether it is unblocked when the process that blocked it dies.
bool dies_with_its_owner(Shape shape);

}  // namespace holdfast::test
