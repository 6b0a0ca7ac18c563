// SPDX-License-Identifier: Apache-2.0

// bench/mysql/workloads.h - the workloads of engine mysql. bench/main.cc lists them.

#pragma once

#include "workload.h"

namespace holdfast::bench::mysql {

void uncontended(const Context&, Report&);
void contended(const Context&, Report&);
void threads(const Context&, Report&);
void waiter(const Context&, Report&);
void counts(const Context&, Report&);

}  // namespace holdfast::bench::mysql
