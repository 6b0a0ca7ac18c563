#include <chrono>

#include "contestant.h"
#include "holdfast/mutex.h"
#include "zookeeper/score.h"
#include "zookeeper/workloads.h"

namespace holdfast::bench::zookeeper {
namespace {

using namespace std::chrono_literals;

constexpr int kRounds = 7;
constexpr std::chrono::milliseconds kRound = 500ms;
constexpr const char* kName = "uncontended";

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
  Mutex mutex(open_client(), kName);
  auto curator = JavaPeer::start(kCurator, 1, ground.server.url(), kName, report);
  Score confirmed(ground, kName, "holdfast, release()");
  Score sent(ground, kName, "holdfast, unlock()");
  Score rival(ground, kName, "curator");
  for (int round = 0; round < kRounds; ++round) {
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
      curator[0].begin(std::string(kName) + "/", 1, kRound);
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
