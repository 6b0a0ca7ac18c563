// SPDX-License-Identifier: Apache-2.0

// holdfast/engine/admission.h - which claims of one resource may be granted.
//
// This is a pure rule, tested by tables. `local`, `mysql`, `etcd` and `zookeeper` grant
// the claims of a queue by it, and `redis` has it in Lua. Where Traits::orders is false
// for a kind, a claim that arrives may pass those that wait: a `Mutex` on `local`,
// `mysql` and `redis` is taken by the thread or client that finds it free. That no two
// claims hold it together is true there, too.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "holdfast/engine/claim.h"
#include "holdfast/export.h"

namespace holdfast::inline v0::engine {

// One entry of the queue. Entries are in order of arrival.
struct QueueEntry {
  Mode mode = Mode::exclusive;
  std::uint32_t permits = 1;
  bool granted = false;
};

// Whether the entry at `index` may be granted now. `capacity` counts permits
// (semaphore) or parties (double barrier) and is ignored for other kinds. The rule, by
// kind:
//
//   mutex, fair_mutex, election   no other entry is granted, and none waits ahead
//   shared_mutex, exclusive       no other entry is granted, and none waits ahead
//   shared_mutex, shared          no writer is granted or waits ahead, so that writers
//                                 do not starve
//   semaphore                     the permits of the granted entries, of the entries
//                                 that wait ahead, and its own fit into the capacity,
//                                 so that a large request does not starve
//   double_barrier                there are `capacity` entries, or one is granted
HOLDFAST_EXPORT bool admits(Kind kind, std::uint32_t capacity,
                            std::span<const QueueEntry> queue,
                            std::size_t index) noexcept;

}  // namespace holdfast::inline v0::engine
