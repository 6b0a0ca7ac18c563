// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <utility>

#include "contend.h"
#include "contestant.h"
#include "score.h"
#include "workload.h"

namespace holdfast::bench {
namespace {

using namespace std::chrono_literals;

constexpr int kContendedRounds = 3;
constexpr auto kContendedRound = 500ms;
constexpr const char* kContendedWorkload = "contended";

const Score& named(const std::vector<Score>& scores, std::string_view name) {
  return *std::ranges::find(scores, name, &Score::who);
}

std::vector<Crowd> crowds(std::chrono::nanoseconds time) {
  std::vector<Crowd> all;
  for (const std::chrono::nanoseconds section : {0us, 1us, 100us}) {
    for (const auto& [processes, threads] : {std::pair{16, 1}, {8, 1}, {3, 16}}) {
      all.push_back({processes, threads, time, section});
    }
  }
  all.push_back({1, 16, time});
  return all;
}

std::vector<Score> measure(const Context& context, const Crowd& crowd, Report& report) {
  std::vector<Score> scores;
  for (const std::string& name : context.contestants(contestants())) {
    scores.emplace_back(Meter(), kContendedWorkload, spell(crowd), name);
  }
  for (int round = 0; round < context.rounds(kContendedRounds); ++round) {
    for (Score& score : scores) {
      score.play([&] { return contend(context, score.who(), crowd); });
    }
  }
  for (const Score& score : scores) score.tell(report);
  return scores;
}

void compare(const std::vector<Score>& scores, const Crowd& crowd, Report& report) {
  const Score& ours = named(scores, kHoldfast);
  if (crowd.section < 100us) ours.tell_beside(named(scores, kFlock), 1, report);
  if (crowd.section == 100us) {
    ours.tell_beside(named(scores, kRobust), 0.95, report);
    ours.tell_p99(6, report);
  }
  ours.tell_luck(2, report);
}

}  // namespace

void contended(const Context& context, Report& report) {
  std::vector<std::pair<Crowd, std::vector<Score>>> all;
  for (const Crowd& crowd : crowds(context.time(kContendedRound))) {
    if (!context.wants(spell(crowd))) continue;
    all.emplace_back(crowd, measure(context, crowd, report));
  }
  for (const auto& [crowd, scores] : all) {
    if (crowd.processes == 16) compare(scores, crowd, report);
  }
}

}  // namespace holdfast::bench
