// SPDX-License-Identifier: Apache-2.0

#include "ground.h"
#include "mysql/workloads.h"
#include "requests.h"

namespace holdfast::bench::mysql {
namespace {

constexpr Limit kLimits[] = {
    {"Mutex: lock", 1},
    {"Mutex: unlock", 1},
    {"RecursiveMutex: lock and unlock again", 0},
    {"FairMutex: lock", 3},
    {"FairMutex: unlock", 1},
    {"SharedMutex: lock_shared", 3},
    {"SharedMutex: unlock_shared", 1},
    {"SharedMutex: lock", 3},
    {"SharedMutex: unlock", 1},
    {"Semaphore: acquire", 3},
    {"Semaphore: release", 1},
    {"MultiLock of three: lock", 3},
    {"MultiLock of three: unlock", 3},
    {"Latch: count_down", 1},
    {"Latch: wait, open", 1},
    {"Barrier: set", 1},
    {"Barrier: remove", 1},
    {"Barrier: wait, open", 1},
    {"DoubleBarrier of one: enter", 5},
    {"DoubleBarrier of one: leave", 2},
    {"Election: campaign", 3},
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

}  // namespace holdfast::bench::mysql
