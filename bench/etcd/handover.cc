// SPDX-License-Identifier: Apache-2.0

#include <chrono>
#include <future>
#include <thread>

#include "contestant.h"
#include "etcd/workloads.h"
#include "ground.h"
#include "holdfast/mutex.h"
#include "timing.h"

namespace holdfast::bench::etcd {
namespace {

using namespace std::chrono_literals;

constexpr int kHandoverRounds = 200;
// The other client waits meanwhile.
constexpr std::chrono::milliseconds kHeld = 5ms;
constexpr const char* kHandoverWorkload = "handover";

// Measures two clients in this process.
Latency of_ours() {
  Mutex one(open_client(), "ours");
  Mutex other(open_client(), "ours");
  std::vector<double> all;
  for (int round = 0; round < kHandoverRounds; ++round) {
    one.lock();
    auto granted = std::async(std::launch::async, [&] {
      other.lock();
      return now_ns();
    });
    std::this_thread::sleep_for(kHeld);
    const std::int64_t released = now_ns();
    one.unlock();
    all.push_back(static_cast<double>(granted.get() - released) / 1e6);
    other.unlock();
  }
  return {percentile(all, 0.5), percentile(all, 0.99)};
}

void tell(const Ground& ground, const std::string& who, const Latency& latency,
          std::optional<Target> target, Report& report) {
  const std::string name = ground.name + ", " + who;
  report.add({kHandoverWorkload, name + ": p50", latency.p50_ms, "ms", target});
  report.add({kHandoverWorkload, name + ": p99", latency.p99_ms, "ms"});
}

}  // namespace

void handover(const Context& context, Report& report) {
  for (const Ground& ground : context.grounds) {
    ground.enter();
    tell(ground, "holdfast", of_ours(), Target::time_at_most(10), report);
    for (RivalPeer& go :
         RivalPeer::start(kGo, 1, ground.server->url(), kHandoverWorkload, report)) {
      tell(ground, "go", go.hand_over("rivals", kHandoverRounds, kHeld), std::nullopt,
           report);
    }
  }
}

}  // namespace holdfast::bench::etcd
