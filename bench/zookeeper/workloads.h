// SPDX-License-Identifier: Apache-2.0

// bench/zookeeper/workloads.h - the workloads of engine zookeeper. bench/main.cc lists
// them.

#pragma once

#include "rival_peer.h"
#include "workload.h"

namespace holdfast::bench::zookeeper {

inline const Rival kCurator = {"curator", "InterProcessMutex"};

void uncontended(const Context&, Report&);
void contended(const Context&, Report&);
void threads(const Context&, Report&);
void counts(const Context&, Report&);

}  // namespace holdfast::bench::zookeeper
