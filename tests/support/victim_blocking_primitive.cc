// SPDX-License-Identifier: Apache-2.0

#include "support/victim_blocking_primitive.h"

#include <chrono>

namespace holdfast::test {

std::string VictimBlockingPrimitive::make(const Client& client, std::istream& words) {
  std::string shape;
  std::string name;
  words >> shape >> name;
  primitive_.emplace(shape_named(shape), client, name);
  return {};
}

std::string VictimBlockingPrimitive::wait(std::istream& words) {
  WaitOptions options;
  long wait = 0;
  if (words >> wait) options.wait = std::chrono::milliseconds(wait);
  primitive_->wait(options).value();
  return {};
}

}  // namespace holdfast::test
