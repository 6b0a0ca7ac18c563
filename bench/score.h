// SPDX-License-Identifier: Apache-2.0

// bench/score.h - the rounds of one contestant: how fast, how fair, and at what cost
// for the server.

#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ground.h"
#include "report.h"
#include "storm.h"

namespace holdfast::bench {

// What a server was asked and what that cost it, both since its start.
struct Meter {
  std::function<double()> requests = [] { return 0.0; };
  std::function<double()> cpu_seconds = [] { return 0.0; };

  // The server must outlive the meter.
  static Meter of(const CountedServer& server);
};

class Score {
 public:
  // `where` and `who` name it in the report, such as "disk, 16 x 1, empty" and
  // "curator". Without a server the meter is empty.
  Score(Meter meter, std::string workload, std::string where, std::string who);
  Score(const CountedServer& server, std::string workload, std::string where,
        std::string who)
      : Score(Meter::of(server), std::move(workload), std::move(where),
              std::move(who)) {}

  // `round` returns a Storm.
  template <class Round>
  void play(Round&& round) {
    const double requests = meter_.requests();
    const double cpu_seconds = meter_.cpu_seconds();
    const Storm storm = round();
    cpu_seconds_ += meter_.cpu_seconds() - cpu_seconds;
    count(storm, meter_.requests() - requests);
  }

  const std::string& who() const noexcept { return who_; }
  std::string name() const { return where_ + ", " + who_; }
  double rate() const;    // the median of the rounds, in grants/s
  double cpu_us() const;  // the server's processor time for one grant
  double luck() const;    // the grants of the luckiest caller by the unluckiest's: f
  double handover_ms() const;
  double p99_ms() const { return waits_.percentile_ms(0.99); }

  // Adds a row. The columns about waits are left out if no wait was timed, and those
  // about the server if there is none.
  void tell(Report& report) const;

  void tell_beside(const Score& rival, double least, Report& report) const;
  void tell_p99(double most_ms, Report& report) const;
  void tell_luck(double most, Report& report) const;

 private:
  void count(const Storm& storm, double requests);

  Meter meter_;
  std::string workload_;
  std::string where_;
  std::string who_;
  std::vector<double> rates_;
  std::vector<double> luck_;
  std::vector<double> handovers_ms_;
  Histogram waits_;
  double grants_ = 0;
  double requests_ = 0;
  double cpu_seconds_ = 0;
};

}  // namespace holdfast::bench
