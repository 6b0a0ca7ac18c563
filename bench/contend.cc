// SPDX-License-Identifier: Apache-2.0

#include "contend.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <memory>
#include <numeric>
#include <span>
#include <stdexcept>
#include <thread>

#include "arena.h"
#include "child.h"
#include "contestant.h"
#include "roles.h"
#include "timing.h"

namespace holdfast::bench {
namespace {

constexpr std::size_t kMostProcesses = 64;

// Counts how many hand-overs from one process to another took how long.
class Handovers {
 public:
  // REQUIRES: the lock is held.
  void granted(std::size_t process, std::int64_t now) {
    if (last_ns_ != 0 && last_process_ != process) {
      const auto slot = static_cast<std::size_t>((now - last_ns_) / kSlot);
      ++slots_[std::min(slot, slots_.size() - 1)];
    }
    last_ns_ = now;
    last_process_ = process;
  }

  double median_ms() const {
    const auto all = std::accumulate(slots_.begin(), slots_.end(), std::int64_t{0});
    std::int64_t sum = 0;
    std::size_t slot = 0;
    while (slot < slots_.size() && (sum += slots_[slot]) * 2 < all) ++slot;
    return static_cast<double>(slot) * static_cast<double>(kSlot) / 1e6;
  }

 private:
  static constexpr std::int64_t kSlot = 5000;  // in nanoseconds

  std::int64_t last_ns_;
  std::size_t last_process_;
  std::array<std::int64_t, 20'000> slots_;
};

struct Tally {
  std::atomic<int> ready;
  std::atomic<std::int64_t> end_ns;  // zero means not yet
  std::array<std::atomic<std::int64_t>, kMostProcesses> grants;
  std::atomic<std::int64_t> longest_ns;
  volatile std::int64_t counter;  // only written under the lock
  Handovers handovers;            // only used under the lock
};

void caller(const std::string& name, const std::string& path, std::size_t process,
            Tally& tally) {
  const auto lock = make_contestant(name, path);
  std::int64_t mine = 0;
  std::int64_t longest = 0;
  tally.ready.fetch_add(1);
  while (tally.end_ns == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  // The clock is read once for each grant, because some rivals are not much slower than
  // it.
  for (std::int64_t last = now_ns(); last < tally.end_ns; ++mine) {
    lock->lock();
    const std::int64_t granted = now_ns();
    tally.counter = tally.counter + 1;
    tally.handovers.granted(process, granted);
    lock->unlock();
    longest = std::max(longest, granted - last);
    last = granted;
  }
  tally.grants[process] += mine;
  std::int64_t seen = tally.longest_ns;
  while (seen < longest && !tally.longest_ns.compare_exchange_weak(seen, longest)) {
  }
}

}  // namespace

void contended_role(Words words) {
  Arena<Tally> tally(words[1], [](Tally&) {});
  const std::size_t count = std::stoul(words[2]);
  const std::size_t process = std::stoul(words[3]);
  std::vector<std::jthread> threads;
  threads.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    threads.emplace_back([&] { caller(words[0], words[1], process, *tally.get()); });
  }
}

Contention contend(const Context& context, const std::string& contestant,
                   const Crowd& crowd) {
  const std::string path = context.dir + "/contended-" +
                           std::to_string(crowd.processes) + contestant.substr(0, 4);
  Arena<Tally> tally(path, [](Tally&) {});
  std::vector<Child> children;
  children.reserve(static_cast<std::size_t>(crowd.processes));
  for (int i = 0; i < crowd.processes; ++i) {
    children.emplace_back(std::vector<std::string>{"contended", contestant, path,
                                                   std::to_string(crowd.threads),
                                                   std::to_string(i)});
  }
  while (tally->ready < crowd.processes * crowd.threads) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  const std::int64_t start = now_ns();
  tally->end_ns = start + crowd.time.count();
  for (Child& child : children) {
    if (child.wait() != 0) throw std::runtime_error("contended: a process failed");
  }
  const double seconds = static_cast<double>(now_ns() - start) / 1e9;
  remove_traces(path);
  std::remove(path.c_str());
  const auto each = std::span(tally->grants).first(children.size());
  const std::int64_t grants =
      std::accumulate(each.begin(), each.end(), std::int64_t{0});
  return {.grants = grants,
          .lost = grants - tally->counter,
          .seconds = seconds,
          .longest_ms = static_cast<double>(tally->longest_ns) / 1e6,
          .fewest = *std::ranges::min_element(each),
          .most = *std::ranges::max_element(each),
          .handover_ms = tally->handovers.median_ms()};
}

}  // namespace holdfast::bench
