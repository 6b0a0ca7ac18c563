// SPDX-License-Identifier: Apache-2.0

#include <sys/resource.h>

#include <algorithm>
#include <functional>
#include <mutex>
#include <vector>

#include "contestant.h"
#include "holdfast/holdfast.h"
#include "quorum/workloads.h"
#include "redis/server.h"
#include "timing.h"

namespace holdfast::bench::quorum {
namespace {

constexpr const char* kWorkload = "uncontended";
// Many short rounds: what else the machine does then falls on both sides alike.
constexpr int kRounds = 100;
constexpr int kPairs = 50;  // in a round
constexpr double kMostTimes = 3.5;

double switches() {
  rusage used = {};
  getrusage(RUSAGE_SELF, &used);
  return static_cast<double>(used.ru_nvcsw);
}

// One thread locks and unlocks, on one node or on several.
class Side {
 public:
  explicit Side(const std::string& url) : mutex_(open_client(url), "bench/quorum") {}

  void play() {
    const double before = switches();
    std::vector<double> us;
    for (int i = 0; i < kPairs; ++i) {
      const std::int64_t start = now_ns();
      { const std::scoped_lock guard(mutex_); }
      us.push_back(static_cast<double>(now_ns() - start) / 1e3);
    }
    switches_.push_back((switches() - before) / kPairs);
    all_us_.insert(all_us_.end(), us.begin(), us.end());
    halves_us_.push_back(median(us));
  }
  void forget() {
    for (auto* each : {&switches_, &all_us_, &halves_us_}) each->clear();
  }

  void tell(const std::string& what, Report& report) const {
    report.add_row(kWorkload, what,
                   {{"p50 us", percentile(all_us_, 0.5)},
                    {"p99 us", percentile(all_us_, 0.99)},
                    {"switches", median(switches_)}});
  }

  // Compares round with round.
  double times(const Side& other) const {
    std::vector<double> ratios = halves_us_;
    std::ranges::transform(ratios, other.halves_us_, ratios.begin(), std::divides<>());
    return median(std::move(ratios));
  }

 private:
  Mutex mutex_;
  std::vector<double> switches_;   // for one pair, in each round
  std::vector<double> all_us_;     // each pair
  std::vector<double> halves_us_;  // the median of each round
};

}  // namespace

void uncontended(const Context& context, Report& report) {
  const redis::Server others[2];
  std::string urls = "quorum:" + context.server->url();
  for (const redis::Server& each : others) urls += "," + each.url();
  Side one(context.server->url());
  Side three(urls);
  for (int round = -1; round < context.rounds(kRounds); ++round) {
    one.play();
    three.play();
    if (round >= 0) continue;
    one.forget();  // It has warmed up.
    three.forget();
  }
  one.tell("lock and unlock, one node", report);
  three.tell("lock and unlock, quorum of three", report);
  report.add({kWorkload, "quorum of three: p50 of one node's", three.times(one),
              "times", Target::time_at_most(kMostTimes)});
}

}  // namespace holdfast::bench::quorum
