// SPDX-License-Identifier: Apache-2.0

#include "etcd/workloads.h"
#include "ground.h"
#include "requests.h"

namespace holdfast::bench::etcd {
namespace {

constexpr Limit kLimits[] = {
    {"Mutex: lock", 1},
    {"Mutex: unlock", 1},
    {"RecursiveMutex: lock and unlock again", 0},
    {"FairMutex: lock", 1},
    {"FairMutex: unlock", 1},
    {"SharedMutex: lock_shared", 1},
    {"SharedMutex: unlock_shared", 1},
    {"SharedMutex: lock", 1},
    {"SharedMutex: unlock", 1},
    {"Semaphore: acquire", 1},
    {"Semaphore: release", 1},
    {"MultiLock of three: lock", 3},
    {"MultiLock of three: unlock", 3},
    {"Latch: count_down", 1},
    {"Latch: wait, open", 1},
    {"Barrier: set", 1},
    {"Barrier: remove", 1},
    {"Barrier: wait, open", 1},
    {"DoubleBarrier of one: enter", 2},
    {"DoubleBarrier of one: leave", 3},
    {"Election: campaign", 1},
    {"Election: leader", 1},
    {"Election: resign", 1},
    {"Counter: get", 1},
    {"Counter: add", 1},
    {"Counter: compare_exchange", 1},
    {"Counter: update", 2},
    {"SharedCount: get", 1},
    {"SharedCount: compare_exchange", 1},
};

}  // namespace

void counts(const Context& context, Report& report) {
  count_requests(context.grounds.front(), kLimits, report);
}

}  // namespace holdfast::bench::etcd
