// SPDX-License-Identifier: Apache-2.0

#include <chrono>
#include <mutex>

#include "contestant.h"
#include "ground.h"
#include "holdfast/mutex.h"
#include "mysql/commit.h"
#include "mysql/workloads.h"
#include "rivals/get_lock.h"
#include "score.h"
#include "timing.h"

namespace holdfast::bench::mysql {
namespace {

using namespace std::chrono_literals;

constexpr int kUncontendedRounds = 9;
constexpr std::chrono::milliseconds kUncontendedRound = 500ms;
constexpr const char* kUncontendedWorkload = "uncontended";

template <class Lock>
Storm repeat(Lock& lock) {
  Storm storm;
  const std::int64_t start = now_ns();
  const std::int64_t end = start + std::chrono::nanoseconds(kUncontendedRound).count();
  for (; now_ns() < end; ++storm.grants) const std::scoped_lock guard(lock);
  storm.seconds = static_cast<double>(now_ns() - start) / 1e9;
  return storm;
}

void measure(const Ground& ground, Report& report) {
  ground.enter();
  Mutex mutex(open_client(), "ours");
  Commit commit;
  GetLock get_lock("rivals");
  Score ours(*ground.server, kUncontendedWorkload, ground.name, "holdfast");
  Score updates(*ground.server, kUncontendedWorkload, ground.name, "two updates");
  Score plain(*ground.server, kUncontendedWorkload, ground.name, std::string(kGetLock));
  for (int round = 0; round < kUncontendedRounds; ++round) {
    ours.play([&] { return repeat(mutex); });
    updates.play([&] { return repeat(commit); });
    plain.play([&] { return repeat(get_lock); });
  }
  for (const Score* each : {&ours, &updates, &plain}) each->tell(report);
  report.add({kUncontendedWorkload, ground.name + ", holdfast: time of two updates",
              updates.rate() / ours.rate(), "times", Target::time_at_most(1.6)});
}

}  // namespace

void uncontended(const Context& context, Report& report) {
  for (const Ground& ground : context.grounds) measure(ground, report);
}

}  // namespace holdfast::bench::mysql
