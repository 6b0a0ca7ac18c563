// SPDX-License-Identifier: Apache-2.0

#include <chrono>
#include <mutex>

#include "contestant.h"
#include "etcd/workloads.h"
#include "ground.h"
#include "holdfast/mutex.h"
#include "score.h"
#include "timing.h"

namespace holdfast::bench::etcd {
namespace {

using namespace std::chrono_literals;

constexpr int kUncontendedRounds = 9;
constexpr std::chrono::milliseconds kRound = 500ms;
constexpr const char* kUncontendedWorkload = "uncontended";

Storm repeat(Mutex& mutex) {
  Storm storm;
  const std::int64_t start = now_ns();
  const std::int64_t end = start + std::chrono::nanoseconds(kRound).count();
  for (; now_ns() < end; ++storm.grants) const std::scoped_lock guard(mutex);
  storm.seconds = static_cast<double>(now_ns() - start) / 1e9;
  return storm;
}

void measure(const Ground& ground, Report& report) {
  ground.enter();
  Mutex mutex(open_client(), "ours");
  auto go =
      RivalPeer::start(kGo, 1, ground.server->url(), kUncontendedWorkload, report);
  Score ours(*ground.server, kUncontendedWorkload, ground.name, "holdfast");
  Score rival(*ground.server, kUncontendedWorkload, ground.name, "go");
  for (int round = 0; round < kUncontendedRounds; ++round) {
    ours.play([&] { return repeat(mutex); });
    if (go.empty()) continue;
    rival.play([&] {
      go[0].begin("rivals/", 1, kRound);
      return go[0].end();
    });
  }
  ours.tell(report);
  if (go.empty()) return;
  rival.tell(report);
  ours.tell_beside(rival, 0.95, report);
}

}  // namespace

void uncontended(const Context& context, Report& report) {
  for (const Ground& ground : context.grounds) measure(ground, report);
}

}  // namespace holdfast::bench::etcd
