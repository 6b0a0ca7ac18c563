// SPDX-License-Identifier: Apache-2.0

// shop/service/service.h - one of the services behind nginx.
//
//   POST /stock/deduct   sells one item: {"outcome":"sold","retries":0}
//   GET /stock           what is left: {"left":4999}
//   GET /                which strategy this is
//   GET /test/...        the primitives to try by hand: see test_pages.h

#pragma once

#include <cstdint>
#include <string>

#include "stores/stock.h"

namespace holdfast::shop {

struct ServiceOptions {
  std::string strategy = "one-sql";
  Store store = Store::sqlite;
  int number = 1;
};

// Serves until SIGTERM or SIGINT, with its places from the environment. Its first line
// on standard output is kListening and the port.
inline constexpr const char* kListening = "listening on 127.0.0.1:";
void run_service(const ServiceOptions& options);

}  // namespace holdfast::shop
