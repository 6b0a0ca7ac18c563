// SPDX-License-Identifier: Apache-2.0

// tests/conformance/exclusive.h - one way to exclude others, whatever primitive
// provides it.
//
// The cases of exclusion_test.cc are written once against this and run on each shape.

#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "holdfast/client.h"
#include "holdfast/engine/claim.h"
#include "holdfast/lease.h"
#include "holdfast/result.h"

namespace holdfast::test {

// clang-format off
enum class Shape {
  mutex,
  recursive_mutex,  // used by one thread
  fair_mutex,
  shared_mutex,     // its exclusive side
  semaphore,        // with five permits, four of them taken
  election,
  multi_lock,       // with this name and another one
  // The shapes from here on are no Exclusive: only blocking_primitive.h uses them.
  reader,           // waits for a writer of a shared mutex
  latch,            // waits until it has counted down
  barrier,
};
// clang-format on

class Exclusive {
 public:
  virtual ~Exclusive() = default;
  virtual Result<FencingToken> acquire(WaitOptions options = {}) = 0;
  virtual Result<void> release() = 0;
  virtual bool valid() const = 0;  // held, and not lost
};

std::string_view name_of(Shape shape);
Shape shape_named(std::string_view name);  // REQUIRES: a shape has that name
engine::Kind kind_of(Shape shape);

// For Shape::semaphore, four permits of that name have to be taken: `drain` does that.
std::unique_ptr<Exclusive> make_exclusive(Shape shape, const Client& client,
                                          const std::string& name,
                                          const LeaseOptions& lease = {});

// Takes four of five permits until it is destroyed.
std::unique_ptr<Exclusive> drain(const Client& client, const std::string& name);

}  // namespace holdfast::test
