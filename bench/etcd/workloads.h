// SPDX-License-Identifier: Apache-2.0

// bench/etcd/workloads.h - the workloads of engine etcd. bench/main.cc lists them.

#pragma once

#include "rival_peer.h"
#include "workload.h"

namespace holdfast::bench::etcd {

inline const Rival kGo = {"go", "Mutex"};

void uncontended(const Context&, Report&);
void contended(const Context&, Report&);
void handover(const Context&, Report&);
void threads(const Context&, Report&);
void counts(const Context&, Report&);

}  // namespace holdfast::bench::etcd
