// SPDX-License-Identifier: Apache-2.0

#include "contend.h"
#include "contestant.h"
#include "crowd.h"
#include "ground.h"
#include "mysql/workloads.h"
#include "score.h"

namespace holdfast::bench::mysql {
namespace {

using namespace std::chrono_literals;

constexpr int kThreadsRounds = 3;
constexpr Crowd kCrowd = {.processes = 1, .threads = 8, .time = 2000ms};
constexpr const char* kThreadsWorkload = "threads";

void measure(const Context& context, const Ground& ground, Report& report) {
  ground.enter();
  Score ours(*ground.server, kThreadsWorkload, ground.name, "holdfast");
  Score row(*ground.server, kThreadsWorkload, ground.name, std::string(kUniqueRow));
  for (int round = 0; round < kThreadsRounds; ++round) {
    ours.play([&] { return of_ours(context, kCrowd); });
    row.play([&] { return contend(context, std::string(kUniqueRow), kCrowd); });
  }
  for (const Score* each : {&ours, &row}) each->tell(report);
  ours.tell_beside(row, 10, report);
}

}  // namespace

void threads(const Context& context, Report& report) {
  for (const Ground& ground : context.grounds) measure(context, ground, report);
}

}  // namespace holdfast::bench::mysql
