// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "contend.h"
#include "contestant.h"
#include "crowd.h"
#include "ground.h"
#include "mysql/commit.h"
#include "mysql/workloads.h"
#include "score.h"
#include "timing.h"

namespace holdfast::bench::mysql {
namespace {

using namespace std::chrono_literals;

constexpr int kRounds = 3;
constexpr int kCommits = 2000;
constexpr Crowd kCrowd = {.processes = 8, .threads = 1, .time = 3000ms};
constexpr const char* kWorkload = "contended";

double commit_ms() {
  Commit commit;
  std::vector<double> all;
  for (int i = 0; i < kCommits; ++i) {
    const std::int64_t start = now_ns();
    commit.lock();
    all.push_back(static_cast<double>(now_ns() - start) / 1e6);
  }
  return median(all);
}

struct Side {
  std::string name;
  Score score;
  std::vector<double> handovers_ms = {};
  std::vector<double> luck = {};  // the grants of the luckiest process by those of the
                                  // unluckiest

  void play(const Context& context) {
    score.play([&] {
      const Contention all = contend(context, name, kCrowd);
      handovers_ms.push_back(all.handover_ms);
      luck.push_back(static_cast<double>(all.most) /
                     static_cast<double>(std::max<std::int64_t>(all.fewest, 1)));
      return storm_of(all);
    });
  }
};

void tell(const Side& side, const std::string& where, double commit, Report& report) {
  const bool ours = side.name == kHoldfast;
  const auto held_against = [&](double bound) {
    return ours ? std::optional(Target::time_at_most(bound)) : std::nullopt;
  };
  const std::string name = where + ", " + side.name;
  const double handover = median(side.handovers_ms);
  side.score.tell(report);
  side.score.tell_longest_wait(report);
  report.add({kWorkload, name + ": hand-over, p50", handover, "ms"});
  report.add({kWorkload, name + ": hand-over of a commit", handover / commit, "times",
              held_against(3)});
  report.add({kWorkload, name + ": the luckiest of the unluckiest", median(side.luck),
              "times", held_against(3)});
}

void measure(const Context& context, const Ground& ground, Report& report) {
  ground.enter();
  const double commit = commit_ms();
  report.add({kWorkload, ground.name + ", one commit: p50", commit, "ms"});
  const std::string where = ground.name + ", 8 processes";
  std::vector<Side> sides;
  for (const std::string_view each : {kHoldfast, kGetLock, kUniqueRow}) {
    const std::string name(each);
    sides.push_back({name, Score(*ground.server, kWorkload, where, name)});
  }
  for (int round = 0; round < kRounds; ++round) {
    for (Side& side : sides) side.play(context);
  }
  for (const Side& side : sides) tell(side, where, commit, report);
}

}  // namespace

void contended(const Context& context, Report& report) {
  for (const Ground& ground : context.grounds) measure(context, ground, report);
}

}  // namespace holdfast::bench::mysql
