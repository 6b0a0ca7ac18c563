// SPDX-License-Identifier: Apache-2.0

// tests/conformance/door.h - any primitive that makes callers wait, seen as a door.
//
//   Door holder(Shape::latch, client, name);
//   holder.shut();                                // set to one
//   waiter.pass({.wait = 100ms});                 // Errc::timed_out
//   holder.open();                                // counted down
//
// A lock is shut by its holder, a latch or a barrier by the client that set it. A
// client that passes a lock holds it, so its door is shut again until that client opens
// it.

#pragma once

#include <functional>
#include <memory>
#include <string>

#include "conformance/exclusive.h"

namespace holdfast::test {

class Door {
 public:
  Door(Shape shape, const Client& client, const std::string& name,
       const LeaseOptions& lease = {});
  ~Door();
  Door(Door&&) noexcept;

  Result<void> shut();
  Result<void> pass(const WaitOptions& options = {});
  Result<void> open();

  // Returns whether the door is still shut, as far as its holder knows.
  bool valid() const;

 private:
  class Leaf;
  class Lock;
  class Reader;
  class LatchLeaf;
  class BarrierLeaf;
  static std::unique_ptr<Leaf> make(Shape shape, const Client& client,
                                    const std::string& name, const LeaseOptions& lease);
  std::unique_ptr<Leaf> leaf_;
};

// Returns whether the door opens when the process that shut it dies.
bool dies_with_its_owner(Shape shape);

}  // namespace holdfast::test
