// SPDX-License-Identifier: Apache-2.0

#include "score.h"

#include <algorithm>
#include <utility>

#include "timing.h"

namespace holdfast::bench {

Meter Meter::of(const CountedServer& server) {
  return {[&server] { return server.requests(); },
          [&server] { return server.cpu_seconds(); }};
}

Score::Score(Meter meter, std::string workload, std::string where, std::string who)
    : meter_(std::move(meter)),
      workload_(std::move(workload)),
      where_(std::move(where)),
      who_(std::move(who)) {}

void Score::count(const Storm& storm, double requests) {
  rates_.push_back(storm.grants / storm.seconds);
  luck_.push_back(storm.most / std::max(storm.fewest, 1.0));
  handovers_ms_.push_back(storm.handover_ms);
  waits_.merge(storm.waits);
  grants_ += storm.grants;
  requests_ += requests;
}

double Score::rate() const { return median(rates_); }
double Score::luck() const { return median(luck_); }
double Score::handover_ms() const { return median(handovers_ms_); }
double Score::cpu_us() const { return cpu_seconds_ * 1e6 / grants_; }

void Score::tell(Report& report) const {
  std::vector<Figure> row = {{"grants/s", rate()},
                             {"least", std::ranges::min(rates_)},
                             {"most", std::ranges::max(rates_)}};
  if (!waits_.empty()) {
    row.push_back({"p50 ms", waits_.percentile_ms(0.5)});
    row.push_back({"p99 ms", p99_ms()});
    row.push_back({"max ms", waits_.longest_ms()});
    row.push_back({"f", luck()});
  }
  if (requests_ > 0) {
    row.push_back({"requests", requests_ / grants_});
    row.push_back({"cpu us", cpu_us()});
  }
  report.add_row(workload_, name(), row);
}

void Score::tell_beside(const Score& rival, double least, Report& report) const {
  report.add({workload_, name() + ": of " + rival.who_, rate() / rival.rate(), "times",
              Target::time_at_least(least)});
}

void Score::tell_p99(double most_ms, Report& report) const {
  report.add({workload_, name() + ": p99 of the waits", p99_ms(), "ms",
              Target::time_at_most(most_ms)});
}

void Score::tell_luck(double most, Report& report) const {
  report.add({workload_, name() + ": luckiest by unluckiest", luck(), "times",
              Target::time_at_most(most)});
}

}  // namespace holdfast::bench
