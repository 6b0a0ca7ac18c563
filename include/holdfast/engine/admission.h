// holdfast/engine/admission.h - who among the claims of one resource is in?
//
// A pure rule, shared by every engine that keeps an ordered queue (local, zookeeper,
// etcd, mysql) and tested by tables. Redis states the same in Lua, and the conformance
// suite compares them.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "holdfast/engine/claim.h"
#include "holdfast/export.h"

namespace holdfast::engine {

// One place in the queue, in order of arrival.
struct Place {
  Mode mode = Mode::exclusive;
  std::uint32_t permits = 1;
  bool granted = false;
};

// Whether the place at `index` may be granted now. `capacity` counts permits
// (semaphore) or parties (double barrier) and is ignored elsewhere.
//
//   mutex, fair_mutex, election   nobody else is in, and nobody waits ahead
//   shared_mutex, exclusive       nobody else is in, and nobody waits ahead
//   shared_mutex, shared          no writer is in or waits ahead: writers do not starve
//   semaphore                     the permits of those who are in, of those who wait
//                                 ahead, and its own fit: a large request is not
//                                 starved
//   double_barrier                `capacity` places are taken, or some are in
HOLDFAST_EXPORT bool admits(Kind kind, std::uint32_t capacity,
                            std::span<const Place> queue, std::size_t index) noexcept;

}  // namespace holdfast::engine
