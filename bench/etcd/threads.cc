// SPDX-License-Identifier: Apache-2.0

#include "crowd.h"
#include "etcd/workloads.h"
#include "ground.h"
#include "score.h"

namespace holdfast::bench::etcd {
namespace {

using namespace std::chrono_literals;

constexpr int kThreadsRounds = 3;
constexpr Crowd kCrowd = {.processes = 1, .threads = 16, .time = 2000ms};
constexpr const char* kThreadsWorkload = "threads";

void measure(const Context& context, const Ground& ground, Report& report) {
  auto go = RivalPeer::start(kGo, 1, ground.server->url(), kThreadsWorkload, report);
  Score off(*ground.server, kThreadsWorkload, ground.name, "holdfast, hand-over off");
  Score on(*ground.server, kThreadsWorkload, ground.name, "holdfast, hand-over on");
  Score rival(*ground.server, kThreadsWorkload, ground.name, "go");
  for (int round = 0; round < kThreadsRounds; ++round) {
    ground.enter();
    off.play([&] { return of_ours(context, kCrowd); });
    ground.enter("?hand_over=yes");
    on.play([&] { return of_ours(context, kCrowd); });
    if (!go.empty()) rival.play([&] { return of_rival(go, kCrowd); });
  }
  for (const Score* each : {&off, &on}) each->tell(report);
  if (go.empty()) return;
  rival.tell(report);
  off.tell_beside(rival, 2, report);
  on.tell_beside(rival, 10, report);
}

}  // namespace

void threads(const Context& context, Report& report) {
  for (const Ground& ground : context.grounds) measure(context, ground, report);
}

}  // namespace holdfast::bench::etcd
