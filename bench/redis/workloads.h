// SPDX-License-Identifier: Apache-2.0

// bench/redis/workloads.h - the workloads of engine redis. bench/main.cc lists them.

#pragma once

#include "rival_peer.h"
#include "workload.h"

namespace holdfast::bench::redis {

inline const Rival kRedisson = {"redisson", "RLock"};
inline const Rival kRedsync = {"go", "redsync"};
inline const Rival kRueidislock = {"go", "rueidislock"};

void uncontended(const Context&, Report&);
void commands(const Context&, Report&);
void contended(const Context&, Report&);
void growth(const Context&, Report&);
void renewal(const Context&, Report&);
void ceiling(const Context&, Report&);
void counts(const Context&, Report&);

}  // namespace holdfast::bench::redis
