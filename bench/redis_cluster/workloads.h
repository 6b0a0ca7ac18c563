// SPDX-License-Identifier: Apache-2.0

// bench/redis_cluster/workloads.h - the workloads of engine redis in a cluster.
// bench/main.cc lists them.

#pragma once

#include "workload.h"

namespace holdfast::bench::redis_cluster {

// Each starts the clusters that it needs. Context::server is the server beside them.
void uncontended(const Context&, Report&);
void commands(const Context&, Report&);
void renewal(const Context&, Report&);

}  // namespace holdfast::bench::redis_cluster
