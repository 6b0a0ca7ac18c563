// SPDX-License-Identifier: Apache-2.0

#include "crowd.h"
#include "zookeeper/workloads.h"

namespace holdfast::bench::zookeeper {

void contended(const Context& context, Report& report) {
  using namespace std::chrono_literals;
  const auto least = [](const Ground& ground, const Crowd&) {
    return ground.name == "disk" ? 1.15 : 1.5;
  };
  contend_beside(context, kCurator, 1s, least, report);
}

}  // namespace holdfast::bench::zookeeper
