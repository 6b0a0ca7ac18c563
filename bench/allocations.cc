// SPDX-License-Identifier: Apache-2.0

#include <mutex>

#include "counting_new.h"
#include "holdfast/holdfast.h"
#include "workload.h"

namespace holdfast::bench {
namespace {

constexpr std::int64_t kAllocationsPairs = 100'000;

template <class Pair>
double per_pair(Pair pair) {
  pair();  // The first pair makes what is made on first use.
  const std::int64_t before = allocations_so_far();
  for (std::int64_t i = 0; i < kAllocationsPairs; ++i) pair();
  return static_cast<double>(allocations_so_far() - before) / kAllocationsPairs;
}

}  // namespace

void allocations(const Context&, Report& report) {
  Mutex mutex(Client::open().value(), "allocations");
  const double locked = per_pair([&] { std::scoped_lock guard(mutex); });
  const double acquired = per_pair([&] { mutex.acquire().value().release().value(); });
  report.add({"allocations", "std::scoped_lock", locked, "per pair",
              Target::count_at_most(1)});
  report.add({"allocations", "acquire() and release()", acquired, "per pair"});
}

}  // namespace holdfast::bench
