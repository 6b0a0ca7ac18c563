// SPDX-License-Identifier: Apache-2.0

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <memory>
#include <system_error>
#include <thread>

#include "arena.h"
#include "child.h"
#include "contestant.h"
#include "rivals/futex_turn.h"
#include "roles.h"
#include "timing.h"
#include "workload.h"

namespace holdfast::bench {
namespace {

constexpr int kHandoverRounds = 7;
constexpr std::size_t kChanges = 2000;
constexpr std::int64_t kWorkNs = 30'000;  // long enough for the other side to sleep
constexpr std::int64_t kPatienceNs = 2'000'000'000;
constexpr const char* kBareFutex = "bare futex ping-pong";

// Everything except the atomics is written under the lock.
struct Baton {
  std::atomic<int> ready;
  std::atomic<bool> over;
  std::atomic<bool> wants[2];  // This side is in lock(), or just before it.
  int last;                    // the side that had it
  std::int64_t released_ns;
  std::int64_t grants;
  std::size_t changes;
  double latency_ns[kChanges];  // of the grants that changed sides
};

// It is the same for every contestant: the time from just before one side's unlock to
// the return of the other side's lock.
template <class Lock>
void alternate(Lock& lock, Baton& baton, int side) {
  baton.ready.fetch_add(1);
  while (baton.ready.load() < 2) std::this_thread::yield();
  const std::int64_t end = now_ns() + kPatienceNs;
  while (!baton.over) {
    baton.wants[side] = true;
    lock.lock();
    const std::int64_t granted = now_ns();
    baton.wants[side] = false;
    if (baton.grants++ > 0 && baton.last != side && baton.changes < kChanges) {
      baton.latency_ns[baton.changes++] =
          static_cast<double>(granted - baton.released_ns);
    }
    baton.last = side;
    if (baton.changes == kChanges || granted > end) baton.over = true;
    while (!baton.wants[1 - side] && !baton.over) std::this_thread::yield();
    for (const std::int64_t seen = now_ns(); now_ns() < seen + kWorkNs;) {
    }
    baton.released_ns = now_ns();
    lock.unlock();
  }
}

// Unpinned, the scheduler puts both processes on one core in some rounds and not in
// others, and the figures have two peaks.
struct Cores {
  const char* name;
  int of_side[2];
};

std::vector<Cores> cores() {
  cpu_set_t allowed;
  sched_getaffinity(0, sizeof allowed, &allowed);
  std::vector<int> all;
  for (int i = 0; i < CPU_SETSIZE; ++i) {
    if (CPU_ISSET(i, &allowed)) all.push_back(i);
  }
  std::vector<Cores> places = {{"one core", {all[0], all[0]}}};
  if (all.size() > 1) places.push_back({"two cores", {all[0], all[1]}});
  return places;
}

void pin_to(int core) {
  cpu_set_t only;
  CPU_ZERO(&only);
  CPU_SET(core, &only);
  if (sched_setaffinity(0, sizeof only, &only) != 0) {
    throw std::system_error(errno, std::generic_category(), "sched_setaffinity");
  }
}

struct Outcome {
  double latency_ns;
  double changed_percent;
};

Outcome round(const Context& context, const std::string& name, int number,
              const Cores& place) {
  // What an earlier round left there is not taken up again.
  const std::string path =
      context.dir + "/" + place.name + std::to_string(number) + name.substr(0, 4);
  Arena<Baton> baton(path, [](Baton&) {});
  {
    Child first({"handover", name, path, "0", std::to_string(place.of_side[0])});
    Child second({"handover", name, path, "1", std::to_string(place.of_side[1])});
    if (first.wait() != 0 || second.wait() != 0) {
      throw std::runtime_error("handover: a process failed with " + name);
    }
  }
  remove_traces(path);
  const double* at = baton->latency_ns;
  return {
      median({at, at + baton->changes}),
      100.0 * static_cast<double>(baton->changes) / static_cast<double>(baton->grants)};
}

void measure(const Context& context, const Cores& place, Report& report) {
  std::vector<std::string> names = {kBareFutex};
  names.insert(names.end(), contestants().begin(), contestants().end());
  std::vector<std::vector<double>> latency(names.size());
  std::vector<std::vector<double>> changed(names.size());
  for (int i = 0; i < context.rounds(kHandoverRounds); ++i) {
    for (std::size_t n = 0; n < names.size(); ++n) {
      const bool rival = n > 1;
      // A rival is shown for comparison, so one round is enough.
      if (rival && i > 0) continue;
      const Outcome outcome = round(context, names[n], i, place);
      latency[n].push_back(outcome.latency_ns);
      changed[n].push_back(outcome.changed_percent);
    }
  }
  const std::string where = std::string(place.name) + ", ";
  for (std::size_t n = 0; n < names.size(); ++n) {
    report.add_row("handover", where + names[n],
                   {{"us", median(latency[n]) / 1000},
                    {"least", std::ranges::min(latency[n]) / 1000},
                    {"most", std::ranges::max(latency[n]) / 1000},
                    {"changed %", median(changed[n])}});
  }
  report.add({"handover", where + "holdfast: of a bare futex ping-pong",
              median(latency[1]) / median(latency[0]), "times",
              Target::time_at_most(1.5)});
}

}  // namespace

void handover_role(Words words) {
  const std::string& path = words[1];
  const int side = std::stoi(words[2]);
  pin_to(std::stoi(words[3]));
  Arena<Baton> baton(path, [](Baton&) {});
  if (words[0] == kBareFutex) {
    FutexTurn turn(path + ".turn", static_cast<std::uint32_t>(side));
    alternate(turn, *baton.get(), side);
  } else {
    const auto lock = make_contestant(words[0], path);
    alternate(*lock, *baton.get(), side);
  }
}

void handover(const Context& context, Report& report) {
  for (const Cores& place : cores()) measure(context, place, report);
}

}  // namespace holdfast::bench
