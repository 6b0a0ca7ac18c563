// SPDX-License-Identifier: Apache-2.0

#include "crowd.h"
#include "score.h"
#include "zookeeper/workloads.h"

namespace holdfast::bench::zookeeper {
namespace {

using namespace std::chrono_literals;

constexpr int kRounds = 3;
constexpr int kMost = 16;
constexpr std::chrono::milliseconds kRound = 1500ms;
constexpr const char* kWorkload = "contended";

void measure(const Context& context, const Ground& ground, double least,
             Report& report) {
  ground.enter();
  auto curator =
      RivalPeer::start(kCurator, kMost, ground.server->url(), kWorkload, report);
  for (int processes = 2; processes <= kMost; processes *= 2) {
    const std::string where =
        ground.name + ", " + std::to_string(processes) + " processes";
    Score ours(*ground.server, kWorkload, where, "holdfast");
    Score rival(*ground.server, kWorkload, where, "curator");
    const Crowd crowd = {processes, 1, kRound};
    for (int round = 0; round < kRounds; ++round) {
      ours.play([&] { return of_ours(context, crowd); });
      if (curator.empty()) continue;
      const auto some = std::span(curator).first(static_cast<std::size_t>(processes));
      rival.play([&] { return of_rival(some, crowd); });
    }
    ours.tell(report);
    ours.tell_longest_wait(report);
    if (curator.empty()) continue;
    rival.tell(report);
    rival.tell_longest_wait(report);
    ours.tell_beside(rival, least, report);
  }
}

}  // namespace

void contended(const Context& context, Report& report) {
  for (const Ground& ground : context.grounds) {
    measure(context, ground, ground.name == "disk" ? 1.15 : 1.5, report);
  }
}

}  // namespace holdfast::bench::zookeeper
