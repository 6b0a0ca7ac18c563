// SPDX-License-Identifier: Apache-2.0

// tests/support/victim_door.h - the victim's commands for a door (conformance/door.h).

#pragma once

#include <istream>
#include <optional>
#include <string>

#include "conformance/door.h"
#include "holdfast/client.h"

namespace holdfast::test {

// victim.h lists the commands; `words` are the rest of the line. They throw
// holdfast::Error.
class VictimDoor {
 public:
  std::string make(const Client& client, std::istream& words);
  std::string shut() { return door_->shut().value(), std::string(); }
  std::string open() { return door_->open().value(), std::string(); }
  std::string intact() const { return door_->valid() ? "yes" : "no"; }
  std::string pass(std::istream& words);

 private:
  std::optional<Door> door_;
};

}  // namespace holdfast::test
