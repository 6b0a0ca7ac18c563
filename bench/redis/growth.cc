// SPDX-License-Identifier: Apache-2.0

#include "growth.h"

#include "redis/server.h"
#include "redis/workloads.h"

namespace holdfast::bench::redis {

void growth(const Context& context, Report& report) {
  measure_growth(context,
                 {meter_of(*context.server, kFromClients),
                  {10, 100, 500, 1000},
                  {10, 100, 1000, 10'000}},
                 report);
}

}  // namespace holdfast::bench::redis
