// SPDX-License-Identifier: Apache-2.0

#include <deque>

#include "contestant.h"
#include "crowd.h"
#include "redis/server.h"
#include "redis/workloads.h"
#include "score.h"

namespace holdfast::bench::redis {
namespace {

using namespace std::chrono_literals;

constexpr int kContendedRounds = 3;
constexpr std::chrono::milliseconds kContendedRound = 1s;
constexpr const char* kWorkload = "contended";

// The commands that only this contestant sends: its scripts call none of them.
std::vector<std::string> sent_by(std::string_view name) {
  const bool sets = name.starts_with("set nx") || name.starts_with("RedMutex") ||
                    name == kRedsync.lock;
  return sets ? std::vector<std::string>{"set", "eval", "evalsha"} : kFromClients;
}

using Peers = std::vector<RivalPeer>;

// One contestant: processes of this program, or peers.
struct Side {
  std::string name;
  Peers* peers = nullptr;

  Storm play(const Context& context, const Crowd& crowd) const {
    return peers != nullptr ? of_rival(*peers, crowd) : contend(context, name, crowd);
  }
};

std::vector<Crowd> crowds(const Context& context) {
  std::vector<Crowd> all;
  for (const std::chrono::nanoseconds section : {0us, 100us, 1000us}) {
    for (const int processes : {8, 16}) {
      all.push_back({processes, 1, context.time(kContendedRound), section});
    }
  }
  all.push_back({3, 16, context.time(kContendedRound)});
  std::erase_if(all, [&](const Crowd& each) { return !context.wants(spell(each)); });
  return all;
}

std::vector<std::string> of_this_program() {
  std::vector<std::string> all;
  for (const auto name : {kHoldfast, kFair, kSetNx, kSetNx3, kSetNx100}) {
    all.emplace_back(name);
  }
#ifdef HOLDFAST_BENCH_RED_MUTEX
  for (const auto name : {kRedMutex3, kRedMutex100}) all.emplace_back(name);
#endif
  return all;
}

std::deque<Score> measure(const Context& context, const Crowd& crowd,
                          const std::vector<Side>& sides, Report& report) {
  std::deque<Score> scores;
  for (const Side& side : sides) {
    scores.emplace_back(meter_of(*context.server, sent_by(side.name)), kWorkload,
                        spell(crowd), side.name);
  }
  for (int round = 0; round < context.rounds(kContendedRounds); ++round) {
    for (std::size_t i = 0; i < sides.size(); ++i) {
      scores[i].play([&] { return sides[i].play(context, crowd); });
    }
  }
  for (const Score& score : scores) score.tell(report);
  return scores;
}

void compare(const std::deque<Score>& scores, const Crowd& crowd, Report& report) {
  const Score& ours = scores.front();
  const auto find = [&](std::string_view name) {
    const auto at = std::ranges::find(scores, name, &Score::who);
    return at == scores.end() ? nullptr : &*at;
  };
  if (const Score* red = find(kRedMutex3); red != nullptr && crowd.section == 0ns) {
    ours.tell_beside(*red, 1.2, report);
  }
  if (const Score* before = find(kBefore)) {
    report.add({kWorkload, spell(crowd) + ", holdfast: server's time of before",
                ours.cpu_us() / before->cpu_us(), "times", Target::time_at_most(0.5)});
  }
  ours.tell_p99(crowd.section == 1ms ? 40 : 20, report);
  ours.tell_luck(1.5, report);
}

}  // namespace

void contended(const Context& context, Report& report) {
  const std::string url = context.server->url();
  const int most = most_processes(crowds(context));
  auto redsync = RivalPeer::start(kRedsync, most, url, kWorkload, report);
  auto rueidis = RivalPeer::start(kRueidislock, most, url, kWorkload, report);
  std::vector<Side> sides;
  for (const std::string& name : context.contestants(of_this_program())) {
    sides.push_back({name});
  }
#ifndef HOLDFAST_BENCH_RED_MUTEX
  report.leave_out(kWorkload, "RedMutex of redis-plus-plus, which was not found");
#endif
  if (!redsync.empty()) sides.push_back({kRedsync.lock, &redsync});
  if (!rueidis.empty()) sides.push_back({kRueidislock.lock, &rueidis});
  std::vector<std::pair<Crowd, std::deque<Score>>> all;
  for (const Crowd& crowd : crowds(context)) {
    all.emplace_back(crowd, measure(context, crowd, sides, report));
  }
  for (const auto& [crowd, scores] : all) {
    if (crowd.threads == 1) compare(scores, crowd, report);
  }
  // Redisson comes last, because a Java process is busy even when it has nothing to do.
  auto redisson = RivalPeer::start(kRedisson, most, url, kWorkload, report);
  if (redisson.empty()) return;
  for (const Crowd& crowd : crowds(context)) {
    measure(context, crowd, {{"redisson", &redisson}}, report);
  }
}

}  // namespace holdfast::bench::redis
