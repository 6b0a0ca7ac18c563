// SPDX-License-Identifier: Apache-2.0

#include <unistd.h>

#include "async/measured_engine.h"
#include "async/relay.h"
#include "async/workloads.h"
#include "contestant.h"
#include "timing.h"
#include "usage.h"

namespace holdfast::bench::async {
namespace {

using namespace std::chrono_literals;

constexpr const char* kWorkload = "one-name";
constexpr const char* kName = "async/one";
constexpr double kMostBytes = 400;  // of a waiter
constexpr double kOneNameMostCommands =
    2;  // in a second, for the lock and the first waiter
constexpr int kRounds = 3;

struct Clients {
  explicit Clients(const MeasuredEngine& measured)
      : theirs(open_client(measured.url)), ours(open_client(measured.url)) {}
  Hold hold() const { return Mutex(theirs, kName).acquire().value(); }

  Client theirs;  // It holds the lock first.
  Client ours;
};

void tell_handovers(const std::string& what, const Relay& relay, Report& report) {
  report.add_row(kWorkload, what,
                 {{"grants/s", relay.rate()},
                  {"p50 us", relay.percentile_us(0.5)},
                  {"p99 us", relay.percentile_us(0.99)}});
}

// A relay of a few waiters makes what is made on first use.
void warm_up(const Clients& clients) {
  Relay relay(clients.ours, kName, std::int64_t{2} * kFew);
  Hold hold = clients.hold();
  relay.enter(kFew);
  relay.begin(std::move(hold));
  relay.end();
}

void measure_crowd(const Context& context, const MeasuredEngine& measured,
                   Report& report) {
  const std::int64_t waiters = context.smoke ? 10'000 : 100'000;
  const std::string what = measured.engine + ", " + spell_waiters(waiters);
  const Clients clients(measured);
  clients.hold().release().value();
  Mutex(clients.ours, kName).acquire().value().release().value();
  const double threads = threads_of(getpid());
  warm_up(clients);
  Relay relay(clients.ours, kName, waiters);
  Hold hold = clients.hold();
  relay.enter(kFew);
  wait_for_runner(clients.ours);
  const double few = threads_of(getpid());
  const double heap = heap_bytes();
  const std::int64_t start = now_ns();
  relay.enter(waiters - kFew);
  const auto entered = static_cast<double>(now_ns() - start);
  wait_for_runner(clients.ours);
  const auto number = static_cast<double>(waiters - kFew);
  report.add({kWorkload, what + ": memory", (heap_bytes() - heap) / number,
              "bytes each", Target::count_at_most(kMostBytes)});
  report.add({kWorkload, what + ": threads for 64 of them", few - threads, ""});
  report.add({kWorkload, what + ": threads for the others", threads_of(getpid()) - few,
              "", Target::count_at_most(measured.most_threads)});
  report.add({kWorkload, what + ": start of a call", entered / number / 1e3, "us"});
  const MeasuredEngine::Rest rest =
      context.smoke ? MeasuredEngine::Rest{4s, 2s} : MeasuredEngine::Rest{20s, 10s};
  measured.tell_rest(kWorkload, what, kOneNameMostCommands, rest, report);
  relay.begin(std::move(hold));
  relay.end();
  report.add({kWorkload, what + ": granted beside another",
              static_cast<double>(relay.stale()), "", Target::count_at_most(0)});
  tell_handovers(what, relay, report);
}

// The hand-over of a few waiters, without threads and with them.
void measure_few(const Context& context, const MeasuredEngine& measured,
                 Report& report) {
  const std::int64_t grants = context.smoke ? 500 : 50'000;
  const Clients clients(measured);
  std::vector<double> halves[2];
  for (int round = 0; round < context.rounds(kRounds); ++round) {
    for (const bool blocking : {false, true}) {
      Relay relay(clients.ours, kName, grants);
      Hold hold = clients.hold();
      if (blocking) {
        relay.enter_threads(kFew);
      } else {
        relay.enter(kFew);
      }
      relay.begin(std::move(hold));
      relay.end();
      tell_handovers(measured.engine + (blocking ? ", 64 threads" : ", 64 waiters"),
                     relay, report);
      halves[blocking ? 1 : 0].push_back(relay.percentile_us(0.5));
    }
  }
  report.add({kWorkload, measured.engine + ": p50 of 64 waiters by 64 threads'",
              median(halves[0]) / median(halves[1]), "times"});
}

}  // namespace

void one_name(const Context& context, Report& report) {
  for (const MeasuredEngine& measured : measured_engines(context)) {
    measure_crowd(context, measured, report);
    measure_few(context, measured, report);
  }
}

}  // namespace holdfast::bench::async
