// SPDX-License-Identifier: Apache-2.0

// bench/operations.h - one operation of every primitive, for what is counted.

#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "holdfast/client.h"

namespace holdfast::bench {

// Nobody else is in the way.
struct Operation {
  std::string_view name;  // "Semaphore: acquire"
  std::function<void()> before;
  std::function<void()> run;  // what is counted
  std::function<void()> after;
  int trips = 1;  // the target: round trips to a server, each of one command
};

// They keep what they work on. Not safe for concurrent use.
std::vector<Operation> operations(const Client& client);

}  // namespace holdfast::bench
