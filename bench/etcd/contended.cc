// SPDX-License-Identifier: Apache-2.0

#include "crowd.h"
#include "etcd/workloads.h"
#include "ground.h"
#include "score.h"

namespace holdfast::bench::etcd {
namespace {

using namespace std::chrono_literals;

constexpr int kRounds = 3;
constexpr int kMost = 8;
constexpr std::chrono::milliseconds kRound = 3000ms;
constexpr const char* kWorkload = "contended";

void measure(const Context& context, const Ground& ground, Report& report) {
  ground.enter();
  auto go = RivalPeer::start(kGo, kMost, ground.server->url(), kWorkload, report);
  for (int processes = 2; processes <= kMost; processes *= 2) {
    const std::string where =
        ground.name + ", " + std::to_string(processes) + " processes";
    Score ours(*ground.server, kWorkload, where, "holdfast");
    Score rival(*ground.server, kWorkload, where, "go");
    const Crowd crowd = {processes, 1, kRound};
    for (int round = 0; round < kRounds; ++round) {
      ours.play([&] { return of_ours(context, crowd); });
      if (go.empty()) continue;
      const auto some = std::span(go).first(static_cast<std::size_t>(processes));
      rival.play([&] { return of_rival(some, crowd); });
    }
    ours.tell(report);
    ours.tell_longest_wait(report);
    if (go.empty()) continue;
    rival.tell(report);
    rival.tell_longest_wait(report);
    ours.tell_beside(rival, processes <= 4 ? 3 : 2, report);
  }
}

}  // namespace

void contended(const Context& context, Report& report) {
  for (const Ground& ground : context.grounds) measure(context, ground, report);
}

}  // namespace holdfast::bench::etcd
