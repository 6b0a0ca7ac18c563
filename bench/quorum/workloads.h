// SPDX-License-Identifier: Apache-2.0

// bench/quorum/workloads.h - the workloads of engine quorum. bench/main.cc lists them.

#pragma once

#include "workload.h"

namespace holdfast::bench::quorum {

void uncontended(const Context&, Report&);

}  // namespace holdfast::bench::quorum
