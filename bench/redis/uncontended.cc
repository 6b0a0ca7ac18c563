// SPDX-License-Identifier: Apache-2.0

#include <memory>

#include "contestant.h"
#include "redis/bare.h"
#include "redis/throughput.h"
#include "redis/workloads.h"
#include "timing.h"

namespace holdfast::bench::redis {
namespace {

using namespace std::chrono_literals;

constexpr int kUncontendedRounds = 7;
constexpr std::chrono::milliseconds kUncontendedRound = 300ms;
constexpr const char* kUncontendedName = "bench/uncontended";

double rate(RivalPeer& redisson, int threads) {
  redisson.begin(std::string(kUncontendedName) + "/", threads, kUncontendedRound);
  const Storm storm = redisson.end();
  return storm.grants / storm.seconds;
}

std::string shape(int threads) { return ", threads: " + std::to_string(threads); }

void measure(int threads, double least, const Context& context, const Pair& pair,
             Report& report) {
  Contestants ours;
  Contestants bare;
  for (int i = 0; i < threads; ++i) {
    const std::string name = kUncontendedName + std::to_string(i);
    ours.push_back(make_contestant(kHoldfast, name));
    bare.push_back(std::make_unique<Bare>(context.server->port(),
                                          renamed(pair, kUncontendedName, name)));
  }
  std::vector<double> rates[2];
  for (int round = -1; round < kUncontendedRounds;
       ++round) {  // The first round warms up.
    const double now[] = {throughput(ours, kUncontendedRound).rate(),
                          throughput(bare, kUncontendedRound).rate()};
    for (int i = 0; i < 2 && round >= 0; ++i) rates[i].push_back(now[i]);
  }
  const double holdfast = median(rates[0]);
  const double rival = median(rates[1]);
  report.add({"uncontended", "holdfast" + shape(threads), holdfast, "pairs/s"});
  report.add({"uncontended", "bare hiredis" + shape(threads), rival, "pairs/s"});
  report.add({"uncontended", "of bare hiredis" + shape(threads), holdfast / rival,
              "times", Target::time_at_least(least)});
}

// This runs after the others, because a Java process is busy even when it has nothing
// to do.
void measure_redisson(const Context& context, Report& report) {
  auto redisson =
      RivalPeer::start(kRedisson, 1, context.server->url(), "uncontended", report);
  if (redisson.empty()) return;
  for (const int threads : {1, 8, 32}) {
    std::vector<double> rates;
    rates.reserve(kUncontendedRounds);
    for (int round = 0; round < kUncontendedRounds; ++round) {
      rates.push_back(rate(redisson[0], threads));
    }
    report.add({"uncontended", "redisson" + shape(threads), median(rates), "pairs/s"});
  }
}

}  // namespace

void uncontended(const Context& context, Report& report) {
  const Pair pair = captured(*context.server, kUncontendedName);
  for (const auto& [threads, least] : {std::pair{1, 0.9}, {8, 0.9}, {32, 1.1}}) {
    measure(threads, least, context, pair, report);
  }
  measure_redisson(context, report);
}

}  // namespace holdfast::bench::redis
