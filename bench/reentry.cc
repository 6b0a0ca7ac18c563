// SPDX-License-Identifier: Apache-2.0

#include <mutex>

#include "holdfast/holdfast.h"
#include "timing.h"
#include "workload.h"

namespace holdfast::bench {
namespace {

template <class M>
Loop again(M& mutex) {
  return [&mutex](std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) std::scoped_lock guard(mutex);
  };
}

}  // namespace

void reentry(const Context&, Report& report) {
  RecursiveMutex ours(Client::open().value(), "reentry");
  std::recursive_mutex standard;
  const std::scoped_lock outer(ours, standard);
  const std::vector<double> ns = compare({again(ours), again(standard)});
  report.add({"reentry", "RecursiveMutex", ns[0], "ns/pair"});
  report.add({"reentry", "std::recursive_mutex", ns[1], "ns/pair"});
  report.add({"reentry", "of std::recursive_mutex", ns[0] / ns[1], "times",
              Target::time_at_most(6)});
}

}  // namespace holdfast::bench
