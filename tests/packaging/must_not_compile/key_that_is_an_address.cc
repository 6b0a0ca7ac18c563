// SPDX-License-Identifier: Apache-2.0

// An address would name another lock in every process.
// expect: a key made of an address differs in every process

#include <memory>
#include <string>

#include "holdfast/locked.h"

struct Order {
  const char* id = "";
  std::string* account = nullptr;
  std::shared_ptr<std::string> shop;
};

int use(const holdfast::Client& client, const Order& order) {
  const holdfast::LockedOptions options{.prefix = "ORDER"};
  const auto pay = [](const Order&) { return 1; };
#ifdef MISTAKE
  return holdfast::locked(client, options, KEY, pay)(order).value();
#else
  return holdfast::locked(client, options, &Order::id, pay)(order).value();
#endif
}
