// SPDX-License-Identifier: Apache-2.0

// bench/operations.h - one operation of every primitive, for what is counted.

#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "holdfast/client.h"

namespace holdfast::bench {

// The operation runs without contention.
struct Operation {
  std::string_view name;  // such as "Semaphore: acquire"
  std::function<void()> before;
  std::function<void()> run;  // the part that is counted
  std::function<void()> after;
  int trips = 1;  // the target: round trips to a server, each of one command
};

// The operations keep the objects that they work on. They are not safe for concurrent
// use.
std::vector<Operation> operations(const Client& client);

}  // namespace holdfast::bench
