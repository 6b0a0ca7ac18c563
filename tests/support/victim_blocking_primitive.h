// SPDX-License-Identifier: Apache-2.0

// tests/support/victim_blocking_primitive.h - the victim's commands for a primitive
// that makes callers wait (conformance/blocking_primitive.h).

#pragma once

#include <istream>
#include <optional>
#include <string>

#include "conformance/blocking_primitive.h"
#include "holdfast/client.h"

namespace holdfast::test {

// victim.h lists the commands; `words` are the rest of the line. They throw
// holdfast::Error.
class VictimBlockingPrimitive {
 public:
  std::string make(const Client& client, std::istream& words);
  std::string block() { return primitive_->block().value(), std::string(); }
  std::string unblock() { return primitive_->unblock().value(), std::string(); }
  std::string intact() const { return primitive_->valid() ? "yes" : "no"; }
  std::string wait(std::istream& words);

 private:
  std::optional<BlockingPrimitive> primitive_;
};

}  // namespace holdfast::test
