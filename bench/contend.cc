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
constexpr std::size_t kMostCallers = 1024;

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
  std::int64_t section_ns;  // This and the next are set before a process starts.
  bool own_clients;
  std::atomic<int> ready;
  std::atomic<std::int64_t> end_ns;               // zero means not yet
  std::atomic<std::int64_t> last_ns;              // when the last caller was through
  std::array<std::int64_t, kMostCallers> grants;  // each is written by its caller
  std::array<Histogram, kMostProcesses> waits;    // each is written by its process
  volatile std::int64_t counter;                  // only written under the lock
  Handovers handovers;                            // only used under the lock
};

// The holder is busy meanwhile: it does not give the processor away.
void work_until(std::int64_t end_ns) {
  while (now_ns() < end_ns) continue;
}

void note_later(std::atomic<std::int64_t>& last, std::int64_t now) {
  std::int64_t seen = last;
  while (seen < now && !last.compare_exchange_weak(seen, now)) continue;
}

void caller(Contestant& lock, std::size_t process, std::size_t index, Tally& tally,
            Histogram& waits) {
  const std::int64_t section = tally.section_ns;
  std::int64_t mine = 0;
  tally.ready.fetch_add(1);
  while (tally.end_ns == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const std::int64_t end = tally.end_ns;
  // The clock is read twice for each grant, and no more, because some rivals are not
  // much slower than it.
  for (std::int64_t asked = now_ns(); asked < end; asked = now_ns(), ++mine) {
    lock.lock();
    const std::int64_t granted = now_ns();
    tally.counter = tally.counter + 1;
    tally.handovers.granted(process, granted);
    if (section != 0) work_until(granted + section);
    lock.unlock();
    waits.add(granted - asked);
  }
  note_later(tally.last_ns, now_ns());
  tally.grants[index] = mine;
}

// Starts the processes, lets them run and returns how many seconds they took.
double run(const Context& context, Tally& tally, const std::string& contestant,
           const std::string& path, const Crowd& crowd) {
  const bool before = contestant == kBefore;
  std::vector<Child> children;
  children.reserve(static_cast<std::size_t>(crowd.processes));
  for (int i = 0; i < crowd.processes; ++i) {
    const std::vector<std::string> role = {
        "contended", before ? std::string(kHoldfast) : contestant, path,
        std::to_string(crowd.threads), std::to_string(i)};
    children.emplace_back(role, std::vector<std::string>{},
                          before ? context.beside : std::string());
  }
  while (tally.ready < crowd.processes * crowd.threads) {
    for (Child& child : children) {
      if (child.ended()) throw std::runtime_error("contended: a process failed");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  const std::int64_t start = now_ns();
  tally.end_ns = start + crowd.time.count();
  for (Child& child : children) {
    if (child.wait() != 0) throw std::runtime_error("contended: a process failed");
  }
  return static_cast<double>(tally.last_ns - start) / 1e9;
}

}  // namespace

std::string spell(const Crowd& crowd) {
  const auto us = std::chrono::duration_cast<std::chrono::microseconds>(crowd.section);
  const std::string section = us.count() == 0 ? "empty"
                              : us.count() % 1000 == 0
                                  ? std::to_string(us.count() / 1000) + " ms"
                                  : std::to_string(us.count()) + " us";
  return std::to_string(crowd.processes) + " x " + std::to_string(crowd.threads) +
         ", " + section;
}

void contended_role(Words words) {
  Arena<Tally> tally(words[1], [](Tally&) {});
  const std::size_t count = std::stoul(words[2]);
  const std::size_t process = std::stoul(words[3]);
  // A server does not accept a thousand connections in one moment.
  std::vector<std::unique_ptr<Contestant>> locks;
  for (std::size_t i = 0; i < count; ++i) {
    locks.push_back(tally->own_clients ? make_with_own_client(words[1])
                                       : make_contestant(words[0], words[1]));
  }
  std::vector<Histogram> waits(count);
  {
    std::vector<std::jthread> threads;
    threads.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      threads.emplace_back([&, i] {
        caller(*locks[i], process, process * count + i, *tally.get(), waits[i]);
      });
    }
  }
  for (const Histogram& each : waits) tally->waits[process].merge(each);
}

Storm contend(const Context& context, const std::string& contestant,
              const Crowd& crowd) {
  const std::string path = context.dir + "/contended-" +
                           std::to_string(crowd.processes) + contestant.substr(0, 4);
  const auto processes = static_cast<std::size_t>(crowd.processes);
  const std::size_t callers = processes * static_cast<std::size_t>(crowd.threads);
  if (processes > kMostProcesses || callers > kMostCallers) {
    throw std::invalid_argument("contended: there are too many callers");
  }
  Arena<Tally> tally(path, [](Tally&) {});
  tally->section_ns = crowd.section.count();
  tally->own_clients = crowd.own_clients;
  Storm storm;
  storm.seconds = run(context, *tally.get(), contestant, path, crowd);
  remove_traces(path);
  std::remove(path.c_str());
  const auto grants = std::span(tally->grants).first(callers);
  const auto sum = std::accumulate(grants.begin(), grants.end(), std::int64_t{0});
  if (sum != tally->counter) {
    throw std::runtime_error("an update was lost under the lock of " + contestant);
  }
  storm.grants = static_cast<double>(sum);
  storm.fewest = static_cast<double>(*std::ranges::min_element(grants));
  storm.most = static_cast<double>(*std::ranges::max_element(grants));
  storm.handover_ms = tally->handovers.median_ms();
  for (const Histogram& each : std::span(tally->waits).first(processes)) {
    storm.waits.merge(each);
  }
  return storm;
}

}  // namespace holdfast::bench
