// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "contend.h"
#include "contestant.h"
#include "redis/server.h"
#include "redis/workloads.h"
#include "timing.h"

namespace holdfast::bench::redis {
namespace {

using namespace std::chrono_literals;

constexpr int kRounds = 3;
constexpr int kProcesses = 3;
constexpr int kThreads = 16;
constexpr std::chrono::milliseconds kRound = 2s;

// This is one contestant, its rounds, and the commands that only it sends: scripts call
// none of them.
struct Score {
  std::string name;
  std::vector<std::string> sent = kFromClients;
  std::vector<double> rates = {};
  double grants = 0;
  double commands = 0;
  double longest_ms = 0;
  std::int64_t lost = 0;

  void add(double more, double seconds, double waited_ms) {
    rates.push_back(more / seconds);
    grants += more;
    longest_ms = std::max(longest_ms, waited_ms);
  }
};

void play(const Context& context, Score& score) {
  const Contention round = contend(context, score.name, {kProcesses, kThreads, kRound});
  score.add(static_cast<double>(round.grants), round.seconds, round.longest_ms);
  score.lost += round.lost;
}

void play(std::vector<RivalPeer>& redisson, Score& score) {
  for (RivalPeer& each : redisson) each.begin("bench/contended", kThreads, kRound);
  Storm sum;
  for (RivalPeer& each : redisson) {
    const Storm storm = each.end();
    sum.grants += storm.grants;
    sum.seconds = std::max(sum.seconds, storm.seconds);
    sum.longest_ms = std::max(sum.longest_ms, storm.longest_ms);
  }
  score.add(sum.grants, sum.seconds, sum.longest_ms);
}

void tell(const Score& score, Report& report) {
  report.add({"contended", score.name, median(score.rates), "grants/s"});
  report.add({"contended", score.name + ": commands", score.commands / score.grants,
              "per grant"});
  report.add({"contended", score.name + ": longest wait", score.longest_ms, "ms"});
}

}  // namespace

void contended(const Context& context, Report& report) {
  const Server& server = *context.server;
  auto redisson =
      RivalPeer::start(kRedisson, kProcesses, server.url(), "contended", report);
  std::vector<Score> scores = {{.name = std::string(kHoldfast)},
                               {.name = std::string(kSetNx), .sent = {"set", "eval"}}};
  if (!redisson.empty()) scores.push_back({.name = "redisson"});
  for (int round = 0; round < kRounds; ++round) {
    for (Score& score : scores) {
      const double before = server.calls(score.sent);
      score.name == "redisson" ? play(redisson, score) : play(context, score);
      score.commands += server.calls(score.sent) - before;
    }
  }
  for (const Score& score : scores) tell(score, report);
  report.add({"contended", "updates lost", static_cast<double>(scores[0].lost), "",
              Target::count_at_most(0)});
}

}  // namespace holdfast::bench::redis
