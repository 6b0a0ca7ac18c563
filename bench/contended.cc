// SPDX-License-Identifier: Apache-2.0

#include "contend.h"
#include "contestant.h"
#include "workload.h"

namespace holdfast::bench {
namespace {

using namespace std::chrono_literals;

constexpr int kCallers = 16;

void measure(const Context& context, Report& report, const std::string& name,
             int processes) {
  const std::string shape = processes == 1 ? "threads" : "processes";
  const Contention result =
      contend(context, name, {processes, kCallers / processes, 500ms});
  report.add({"contended", name + ", 16 " + shape,
              static_cast<double>(result.grants) / result.seconds, "grants/s"});
  if (name == kHoldfast) {
    report.add({"contended", "updates lost, 16 " + shape,
                static_cast<double>(result.lost), "", Target::count_at_most(0)});
  }
}

}  // namespace

void contended(const Context& context, Report& report) {
  for (const int processes : {kCallers, 1}) {
    for (const std::string& name : contestants()) {
      measure(context, report, name, processes);
    }
  }
}

}  // namespace holdfast::bench
