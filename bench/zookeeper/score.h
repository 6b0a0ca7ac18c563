// bench/zookeeper/score.h - the rounds of one contestant: how fast, and at what cost
// for the server.

#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "report.h"
#include "timing.h"
#include "zookeeper/ground.h"

namespace holdfast::bench::zookeeper {

class Score {
 public:
  Score(const Ground& ground, std::string workload, std::string who)
      : ground_(&ground), workload_(std::move(workload)), who_(std::move(who)) {}

  // `round` gives a Storm.
  template <class Round>
  void play(Round&& round) {
    const double before = ground_->server.requests();
    const Storm storm = round();
    requests_ += ground_->server.requests() - before;
    grants_ += storm.grants;
    longest_ms_ = std::max(longest_ms_, storm.longest_ms);
    rates_.push_back(storm.grants / storm.seconds);
  }

  double rate() const { return median(rates_); }

  void tell(Report& report) const {
    const std::string name = who_ + ", " + ground_->name;
    report.add({workload_, name, rate(), "grants/s"});
    report.add({workload_, name + ": requests", requests_ / grants_, "per grant"});
    if (longest_ms_ > 0) {
      report.add({workload_, name + ": longest wait", longest_ms_, "ms"});
    }
  }

  void tell_beside(const Score& rival, double least, Report& report) const {
    report.add({workload_, who_ + ", " + ground_->name + ": of " + rival.who_,
                rate() / rival.rate(), "times", Target::time_at_least(least)});
  }

 private:
  const Ground* ground_;
  std::string workload_;
  std::string who_;
  std::vector<double> rates_;
  double grants_ = 0;
  double requests_ = 0;
  double longest_ms_ = 0;
};

}  // namespace holdfast::bench::zookeeper
