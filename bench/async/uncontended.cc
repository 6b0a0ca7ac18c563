// SPDX-License-Identifier: Apache-2.0

#include <atomic>
#include <chrono>
#include <deque>
#include <semaphore>
#include <thread>
#include <vector>

#include "async/workloads.h"
#include "contestant.h"
#include "counting_new.h"
#include "holdfast/holdfast.h"
#include "redis/bare.h"
#include "redis/server.h"
#include "timing.h"

namespace holdfast::bench::async {

using holdfast::Result;  // and not a report's

namespace {

using namespace std::chrono_literals;

constexpr const char* kPairs = "uncontended";
constexpr const char* kFree = "async/free/";
constexpr int kInFlight = 64;
constexpr int kDeep = 50;
constexpr double kMostAllocations = 2;  // of one operation
constexpr double kLeastOfBare = 0.8;

struct Round {
  double pairs = 0;
  double seconds = 0;
  double allocations = 0;
  double rate() const { return pairs / seconds; }
};

// Pairs that are always in flight, each on a name of its own: when one is done, the
// next is started. All of it runs on the client's runner.
class InFlight {
 public:
  InFlight() : client_(open_client()) {
    for (int i = 0; i < kInFlight; ++i) {
      mutexes_.emplace_back(client_, kFree + std::to_string(i));
    }
  }

  Round run(std::chrono::nanoseconds time) {
    over_ = false;
    pairs_ = 0;
    const std::int64_t allocated = allocations_so_far();
    const std::int64_t start = now_ns();
    for (Mutex& each : mutexes_) lock(each);
    std::this_thread::sleep_for(time);
    over_ = true;
    for (int i = 0; i < kInFlight; ++i) ended_.acquire();
    return {static_cast<double>(pairs_), static_cast<double>(now_ns() - start) / 1e9,
            static_cast<double>(allocations_so_far() - allocated)};
  }

 private:
  void lock(Mutex& mutex) {
    mutex.acquire_async([this, &mutex](Result<Hold> hold) {
      hold.value().release_async([this, &mutex](const Result<void>& released) {
        released.value();
        ++pairs_;
        if (over_) {
          ended_.release();
        } else {
          lock(mutex);
        }
      });
    });
  }

  const Client client_;
  std::deque<Mutex> mutexes_;
  std::atomic<bool> over_ = false;
  std::atomic<std::int64_t> pairs_ = 0;
  std::counting_semaphore<kInFlight> ended_{0};
};

// The same commands on a bare connection: so many are sent before the first answer is
// read.
class Pipeline {
 public:
  explicit Pipeline(const redis::Server& server) : connection_(server.port()) {
    const redis::Pair pair = redis::captured(server, kFree);
    for (int i = 0; i < kDeep; ++i) {
      const std::string name = kFree + std::to_string(i);
      const redis::Pair mine = redis::renamed(pair, kFree, name);
      locks_.push_back(redis::encode(mine.lock));
      unlocks_.push_back(redis::encode(mine.unlock));
    }
  }

  Round run(std::chrono::nanoseconds time) {
    Round round;
    const std::int64_t start = now_ns();
    for (const std::int64_t end = start + time.count(); now_ns() < end;) {
      send(locks_);
      send(unlocks_);
      round.pairs += kDeep;
    }
    round.seconds = static_cast<double>(now_ns() - start) / 1e9;
    return round;
  }

 private:
  void send(const std::vector<std::string>& commands) {
    for (const std::string& each : commands) connection_.append(each);
    for (std::size_t i = 0; i < commands.size(); ++i) connection_.read();
  }

  redis::Connection connection_;
  std::vector<std::string> locks_;
  std::vector<std::string> unlocks_;
};

}  // namespace

void uncontended(const Context& context, Report& report) {
  // Many short rounds: what else the machine does then falls on both sides alike.
  constexpr int kRounds = 30;
  const auto time = context.time(200ms);
  InFlight ours;
  Pipeline bare(*context.server);
  std::vector<double> rates[2];
  std::vector<double> ratios;
  std::vector<double> allocations;
  for (int round = -1; round < context.rounds(kRounds); ++round) {
    const Round mine = ours.run(time);
    const Round theirs = bare.run(time);
    if (round < 0) continue;  // It warms up.
    rates[0].push_back(mine.rate());
    rates[1].push_back(theirs.rate());
    ratios.push_back(mine.rate() / theirs.rate());
    allocations.push_back(mine.allocations / (2 * mine.pairs));
  }
  report.add({kPairs, "redis, 64 pairs in flight", median(rates[0]), "pairs/s"});
  report.add({kPairs, "bare hiredis, 50 deep", median(rates[1]), "pairs/s"});
  report.add({kPairs, "redis, 64 pairs in flight: of bare hiredis", median(ratios),
              "times", Target::time_at_least(kLeastOfBare)});
  report.add({kPairs, "redis, 64 pairs in flight: allocations", median(allocations),
              "per operation", Target::count_at_most(kMostAllocations)});
}

}  // namespace holdfast::bench::async
