// SPDX-License-Identifier: Apache-2.0

#include <memory>

#include "contestant.h"
#include "timing.h"
#include "workload.h"

namespace holdfast::bench {

void uncontended(const Context& context, Report& report) {
  std::vector<std::unique_ptr<Contestant>> all;
  std::vector<Loop> loops;
  for (const std::string& name : contestants()) {
    all.push_back(make_contestant(name, context.dir + "/uncontended"));
    loops.emplace_back([c = all.back().get()](std::int64_t n) { c->pairs(n); });
  }
  const std::vector<double> ns = compare(loops);
  double ours = 0;
  double flock = 0;
  for (std::size_t i = 0; i < ns.size(); ++i) {
    const std::string& name = contestants()[i];
    if (name == kHoldfast) ours = ns[i];
    if (name == kFlock) flock = ns[i];
    report.add({"uncontended", name, ns[i], "ns/pair"});
  }
  report.add({"uncontended", "faster than flock", flock / ours, "times",
              Target::time_at_least(3)});
  all.clear();
  remove_traces(context.dir + "/uncontended");
}

}  // namespace holdfast::bench
