// bench/zookeeper/workloads.h - the workloads of engine zookeeper. bench/main.cc lists
// them.

#pragma once

#include "workload.h"

namespace holdfast::bench::zookeeper {

void uncontended(const Context&, Report&);
void contended(const Context&, Report&);
void threads(const Context&, Report&);
void counts(const Context&, Report&);

}  // namespace holdfast::bench::zookeeper
