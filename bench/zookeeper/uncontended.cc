// SPDX-License-Identifier: Apache-2.0

#include <chrono>

#include "contestant.h"
#include "holdfast/mutex.h"
#include "score.h"
#include "timing.h"
#include "zookeeper/workloads.h"

namespace holdfast::bench::zookeeper {
namespace {

using namespace std::chrono_literals;

constexpr int kUncontendedRounds = 7;
constexpr std::chrono::milliseconds kRound = 500ms;
constexpr const char* kUncontendedWorkload = "uncontended";

template <class Pair>
Storm repeat(Pair&& pair) {
  Storm storm;
  const std::int64_t start = now_ns();
  const std::int64_t end = start + std::chrono::nanoseconds(kRound).count();
  for (; now_ns() < end; ++storm.grants) pair();
  storm.seconds = static_cast<double>(now_ns() - start) / 1e9;
  return storm;
}

void measure(const Ground& ground, Report& report) {
  ground.enter();
  // The name must not be above the rival's, because that would block it.
  Mutex mutex(open_client(), "ours");
  auto curator =
      RivalPeer::start(kCurator, 1, ground.server->url(), kUncontendedWorkload, report);
  Score confirmed(*ground.server, kUncontendedWorkload, ground.name,
                  "holdfast release()");
  Score sent(*ground.server, kUncontendedWorkload, ground.name, "holdfast unlock()");
  Score rival(*ground.server, kUncontendedWorkload, ground.name, "curator");
  for (int round = 0; round < kUncontendedRounds; ++round) {
    confirmed.play(
        [&] { return repeat([&] { mutex.acquire().value().release().value(); }); });
    sent.play([&] {
      return repeat([&] {
        mutex.lock();
        mutex.unlock();
      });
    });
    if (curator.empty()) continue;
    rival.play([&] {
      curator[0].begin("rivals/", 1, kRound);
      return curator[0].end();
    });
  }
  confirmed.tell(report);
  sent.tell(report);
  if (curator.empty()) return;
  rival.tell(report);
  confirmed.tell_beside(rival, 1.2, report);
  sent.tell_beside(rival, 1.5, report);
}

}  // namespace

void uncontended(const Context& context, Report& report) {
  for (const Ground& ground : context.grounds) measure(ground, report);
}

}  // namespace holdfast::bench::zookeeper
