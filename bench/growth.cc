// SPDX-License-Identifier: Apache-2.0

#include "growth.h"

#include <deque>
#include <mutex>
#include <span>

#include "contestant.h"
#include "crowd.h"
#include "ground.h"
#include "holdfast/holdfast.h"
#include "timing.h"

namespace holdfast::bench {
namespace {

using namespace std::chrono_literals;

constexpr int kGrowthRounds = 3;
constexpr std::chrono::nanoseconds kGrowthRound = 1s;
constexpr double kFlat = 2;  // Below this a ratio is noise.
constexpr const char* kGrowthWorkload = "growth";

// In a smoke test the first, which is the smallest, must do.
std::span<const int> some_of(const Context& context, const std::vector<int>& all) {
  return std::span(all).first(context.smoke ? 1 : all.size());
}

void tell_growth(const std::deque<Score>& scores, const std::string& what,
                 Report& report) {
  report.add({kGrowthWorkload, what + ": a grant's time, last by first",
              scores.front().rate() / scores.back().rate(), "times",
              Target::time_at_most(kFlat)});
}

// All clients are in one process, which tells nothing of it to the engine.
void measure_waiting(const Context& context, const Growth& growth, Report& report) {
  std::deque<Score> scores;
  for (const int clients : some_of(context, growth.clients)) {
    Crowd crowd = {1, clients, context.time(kGrowthRound)};
    crowd.own_clients = true;
    scores.emplace_back(growth.meter, kGrowthWorkload,
                        "clients: " + std::to_string(clients), std::string(kHoldfast));
    for (int round = 0; round < context.rounds(kGrowthRounds); ++round) {
      scores.back().play([&] { return of_ours(context, crowd); });
    }
    scores.back().tell(report);
  }
  tell_growth(scores, "clients", report);
}

Storm pairs_of(Mutex& mutex, std::chrono::nanoseconds time) {
  Storm storm;
  const std::int64_t start = now_ns();
  for (; now_ns() < start + time.count(); ++storm.grants) {
    const std::scoped_lock guard(mutex);
  }
  storm.seconds = static_cast<double>(now_ns() - start) / 1e9;
  return storm;
}

void measure_held(const Context& context, const Growth& growth, Report& report) {
  const Client client = open_client();
  Mutex free(client, "growth/free");
  std::deque<Hold> holds;
  std::deque<Score> scores;
  for (const int held : some_of(context, growth.held)) {
    while (holds.size() < static_cast<std::size_t>(held)) {
      const std::string name = "growth/held" + std::to_string(holds.size());
      holds.push_back(Mutex(client, name).acquire().value());
    }
    scores.emplace_back(growth.meter, kGrowthWorkload, "held: " + std::to_string(held),
                        std::string(kHoldfast));
    for (int round = 0; round < context.rounds(kGrowthRounds); ++round) {
      scores.back().play([&] { return pairs_of(free, context.time(kGrowthRound)); });
    }
    scores.back().tell(report);
  }
  tell_growth(scores, "held", report);
}

}  // namespace

void measure_growth(const Context& context, const Growth& growth, Report& report) {
  measure_waiting(context, growth, report);
  measure_held(context, growth, report);
}

void growth(const Context& context, Report& report) {
  measure_growth(context, {Meter(), {1, 10, 100, 1000}, {10, 100, 1000, 10'000}},
                 report);
}

void growth_on_server(const Context& context, Report& report) {
  const Ground& in_memory = context.grounds.front();
  in_memory.enter();
  measure_growth(context,
                 {Meter::of(*in_memory.server), {1, 10, 100}, {10, 100, 1000, 10'000}},
                 report);
}

}  // namespace holdfast::bench
