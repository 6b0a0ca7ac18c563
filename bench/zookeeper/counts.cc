// SPDX-License-Identifier: Apache-2.0

#include "requests.h"
#include "zookeeper/workloads.h"

namespace holdfast::bench::zookeeper {
namespace {

// Requests that are sent together are one round trip: a lock creates a node and lists
// the queue.
constexpr Limit kLimits[] = {
    {"Mutex: lock", 2},
    {"Mutex: unlock", 1},
    {"FairMutex: lock", 2},
    {"FairMutex: unlock", 1},
    {"SharedMutex: lock_shared", 2},
    {"SharedMutex: unlock_shared", 1},
    {"SharedMutex: lock", 2},
    {"SharedMutex: unlock", 1},
    {"Semaphore: release", 1},
    {"Election: campaign", 2},
    {"Election: resign", 1},
    {"Counter: get", 1},
    {"Counter: add", 1},
    {"SharedCount: compare_exchange", 1},
};

}  // namespace

void counts(const Context& context, Report& report) {
  count_requests(context.grounds.front(), kLimits, report);
}

}  // namespace holdfast::bench::zookeeper
