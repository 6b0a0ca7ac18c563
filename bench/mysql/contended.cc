// SPDX-License-Identifier: Apache-2.0

#include <deque>
#include <utility>

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

constexpr int kContendedRounds = 3;
constexpr int kCommits = 2000;
constexpr std::chrono::milliseconds kContendedRound = 1500ms;
constexpr const char* kContendedWorkload = "contended";

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

std::deque<Score> measure(const Context& context, const Ground& ground,
                          const Crowd& crowd, Report& report) {
  const std::string where = ground.name + ", " + spell(crowd);
  std::deque<Score> scores;
  for (const std::string_view name : {kHoldfast, kGetLock, kUniqueRow}) {
    scores.emplace_back(*ground.server, kContendedWorkload, where, std::string(name));
  }
  for (int round = 0; round < context.rounds(kContendedRounds); ++round) {
    for (Score& score : scores) {
      score.play([&] { return contend(context, score.who(), crowd); });
    }
  }
  for (const Score& score : scores) score.tell(report);
  return scores;
}

void compare(const std::deque<Score>& scores, int processes, double commit,
             Report& report) {
  for (const Score& score : scores) {
    const bool held_to = score.who() == kHoldfast && processes == 8;
    report.add({kContendedWorkload, score.name() + ": hand-over of a commit",
                score.handover_ms() / commit, "times",
                held_to ? std::optional(Target::time_at_most(3)) : std::nullopt});
  }
  scores.front().tell_luck(3, report);
}

}  // namespace

void contended(const Context& context, Report& report) {
  for (const Ground& ground : context.grounds) {
    const auto crowds =
        crowds_on(context, ground, {8, 16}, context.time(kContendedRound));
    if (crowds.empty()) continue;
    ground.enter();
    const double commit = commit_ms();
    std::vector<std::pair<Crowd, std::deque<Score>>> all;
    all.reserve(crowds.size());
    for (const Crowd& crowd : crowds) {
      all.emplace_back(crowd, measure(context, ground, crowd, report));
    }
    report.add({kContendedWorkload, ground.name + ", one commit: p50", commit, "ms"});
    for (const auto& [crowd, scores] : all) {
      const bool bare = crowd.threads == 1 && crowd.section == 0ns;
      if (bare) compare(scores, crowd.processes, commit, report);
    }
  }
}

}  // namespace holdfast::bench::mysql
