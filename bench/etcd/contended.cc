// SPDX-License-Identifier: Apache-2.0

#include "crowd.h"
#include "etcd/workloads.h"

namespace holdfast::bench::etcd {

void contended(const Context& context, Report& report) {
  using namespace std::chrono_literals;
  const auto least = [](const Ground&, const Crowd& crowd) {
    return crowd.processes <= 4 && crowd.threads == 1 ? 3.0 : 2.0;
  };
  contend_beside(context, kGo, 2s, least, report);
}

}  // namespace holdfast::bench::etcd
