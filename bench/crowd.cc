// SPDX-License-Identifier: Apache-2.0

#include "crowd.h"

#include <algorithm>
#include <limits>
#include <string>

#include "contestant.h"
#include "score.h"

namespace holdfast::bench {
namespace {

using namespace std::chrono_literals;

constexpr int kCrowdRounds = 3;
constexpr const char* kCrowdWorkload = "contended";

struct Match {
  Crowd crowd;
  Score ours;
  Score rival;
};

void play(const Context& context, std::vector<RivalPeer>& peers, Match& match,
          Report& report) {
  for (int round = 0; round < context.rounds(kCrowdRounds); ++round) {
    match.ours.play([&] { return of_ours(context, match.crowd); });
    if (!peers.empty()) match.rival.play([&] { return of_rival(peers, match.crowd); });
  }
  match.ours.tell(report);
  if (!peers.empty()) match.rival.tell(report);
}

}  // namespace

Storm of_ours(const Context& context, const Crowd& crowd) {
  return contend(context, std::string(kHoldfast), crowd);
}

Storm of_rival(std::span<RivalPeer> peers, const Crowd& crowd) {
  using std::chrono::duration_cast;
  const auto time = duration_cast<std::chrono::milliseconds>(crowd.time);
  const auto section = duration_cast<std::chrono::microseconds>(crowd.section);
  const auto some = peers.first(static_cast<std::size_t>(crowd.processes));
  for (RivalPeer& each : some) each.begin("contended", crowd.threads, time, section);
  Storm sum;
  sum.fewest = std::numeric_limits<double>::max();
  for (RivalPeer& each : some) {
    const Storm storm = each.end();
    sum.grants += storm.grants;
    sum.seconds = std::max(sum.seconds, storm.seconds);
    sum.fewest = std::min(sum.fewest, storm.fewest);
    sum.most = std::max(sum.most, storm.most);
    sum.waits.merge(storm.waits);
  }
  return sum;
}

std::vector<Crowd> crowds_on(const Context& context, const Ground& ground,
                             std::initializer_list<int> processes,
                             std::chrono::nanoseconds time) {
  std::vector<Crowd> all;
  for (const int each : processes) all.push_back({each, 1, time});
  if (ground.name != "disk") {
    for (const std::chrono::nanoseconds section : {100us, 1000us}) {
      for (const int each : {8, 16}) all.push_back({each, 1, time, section});
    }
    all.push_back({3, 16, time});
  }
  std::erase_if(all, [&](const Crowd& crowd) {
    return !context.wants(ground.name + ", " + spell(crowd));
  });
  return all;
}

int most_processes(const std::vector<Crowd>& crowds) {
  int most = 0;
  for (const Crowd& each : crowds) most = std::max(most, each.processes);
  return most;
}

void contend_beside(const Context& context, const Rival& rival,
                    std::chrono::milliseconds round, const LeastRatio& least,
                    Report& report) {
  for (const Ground& ground : context.grounds) {
    const CountedServer& server = *ground.server;
    const auto crowds = crowds_on(context, ground, {2, 4, 8, 16}, context.time(round));
    if (crowds.empty()) continue;
    ground.enter();
    auto peers = RivalPeer::start(rival, most_processes(crowds), server.url(),
                                  kCrowdWorkload, report);
    std::vector<Match> matches;
    for (const Crowd& crowd : crowds) {
      const std::string where = ground.name + ", " + spell(crowd);
      matches.push_back({crowd,
                         Score(server, kCrowdWorkload, where, std::string(kHoldfast)),
                         Score(server, kCrowdWorkload, where, rival.library)});
      play(context, peers, matches.back(), report);
    }
    for (const Match& each : matches) {
      if (peers.empty() || each.crowd.section != 0ns) continue;
      each.ours.tell_beside(each.rival, least(ground, each.crowd), report);
    }
  }
}

}  // namespace holdfast::bench
