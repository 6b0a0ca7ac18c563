// SPDX-License-Identifier: Apache-2.0

#include "support/victim_door.h"

#include <chrono>

namespace holdfast::test {

std::string VictimDoor::make(const Client& client, std::istream& words) {
  std::string shape;
  std::string name;
  words >> shape >> name;
  door_.emplace(shape_named(shape), client, name);
  return {};
}

std::string VictimDoor::pass(std::istream& words) {
  WaitOptions options;
  long wait = 0;
  if (words >> wait) options.wait = std::chrono::milliseconds(wait);
  door_->pass(options).value();
  return {};
}

}  // namespace holdfast::test
