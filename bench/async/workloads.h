// SPDX-License-Identifier: Apache-2.0

// bench/async/workloads.h - the workloads of the asynchronous forms. bench/main.cc
// lists them.

#pragma once

#include "workload.h"

namespace holdfast::bench::async {

void one_name(const Context&, Report&);
void many_names(const Context&, Report&);
void uncontended(const Context&, Report&);  // with a redis-server
void rivals(const Context&, Report&);       // with a redis-server

}  // namespace holdfast::bench::async
