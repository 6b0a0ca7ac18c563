// SPDX-License-Identifier: Apache-2.0

// bench/score.h - the rounds of one contestant: how fast, and at what cost
// for the server.

#pragma once

#include <string>
#include <vector>

#include "ground.h"
#include "report.h"
#include "rival_peer.h"

namespace holdfast::bench {

class Score {
 public:
  // `where` and `who` name it in the report, such as "disk, 16 processes" and
  // "curator".
  Score(const CountedServer& server, std::string workload, std::string where,
        std::string who);

  // `round` returns a Storm.
  template <class Round>
  void play(Round&& round) {
    const double before = server_->requests();
    const Storm storm = round();
    count(storm, server_->requests() - before);
  }

  double rate() const;

  void tell(Report& report) const;
  void tell_longest_wait(Report& report) const;
  void tell_beside(const Score& rival, double least, Report& report) const;

 private:
  void count(const Storm& storm, double requests);
  std::string name() const { return where_ + ", " + who_; }

  const CountedServer* server_;
  std::string workload_;
  std::string where_;
  std::string who_;
  std::vector<double> rates_;
  double grants_ = 0;
  double requests_ = 0;
  double longest_ms_ = 0;
};

}  // namespace holdfast::bench
