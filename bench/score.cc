// SPDX-License-Identifier: Apache-2.0

#include "score.h"

#include <algorithm>
#include <utility>

#include "timing.h"

namespace holdfast::bench {

Score::Score(const CountedServer& server, std::string workload, std::string where,
             std::string who)
    : server_(&server),
      workload_(std::move(workload)),
      where_(std::move(where)),
      who_(std::move(who)) {}

void Score::count(const Storm& storm, double requests) {
  rates_.push_back(storm.grants / storm.seconds);
  grants_ += storm.grants;
  requests_ += requests;
  longest_ms_ = std::max(longest_ms_, storm.longest_ms);
}

double Score::rate() const { return median(rates_); }

void Score::tell(Report& report) const {
  report.add({workload_, name(), rate(), "grants/s"});
  report.add({workload_, name() + ": requests", requests_ / grants_, "per grant"});
}

void Score::tell_longest_wait(Report& report) const {
  report.add({workload_, name() + ": longest wait", longest_ms_, "ms"});
}

void Score::tell_beside(const Score& rival, double least, Report& report) const {
  report.add({workload_, name() + ": of " + rival.who_, rate() / rival.rate(), "times",
              Target::time_at_least(least)});
}

}  // namespace holdfast::bench
