// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <chrono>
#include <deque>
#include <thread>

#include "contestant.h"
#include "holdfast/holdfast.h"
#include "redis/many_claims.h"
#include "redis/server.h"
#include "redis/workloads.h"
#include "timing.h"
#include "usage.h"

namespace holdfast::bench::redis {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::seconds kTtl = 30s;  // the default
constexpr std::chrono::seconds kWindow =
    kTtl / 3;  // Every lock is renewed once in this window.
constexpr double kWindowSeconds = 10;

// The renewer renews, while nothing else happens.
void renewed_at_rest(const Server& server, Report& report) {
  std::this_thread::sleep_for(kWindow);  // By then the renewals are spread evenly.
  const double commands = server.calls(kFromClients);
  const double theirs = server.cpu_seconds();
  const double ours = cpu_seconds();
  std::this_thread::sleep_for(kWindow);
  report.add({"renewal", "the client's processor time",
              100 * (cpu_seconds() - ours) / kWindowSeconds, "% of a core"});
  report.add({"renewal", "the server's processor time",
              100 * (server.cpu_seconds() - theirs) / kWindowSeconds, "% of a core"});
  report.add({"renewal", "commands",
              (server.calls(kFromClients) - commands) / kWindowSeconds, "per s"});
}

// Returns the bytes in use between renewals, which use some themselves.
double heap_bytes_at_rest() {
  double least = heap_bytes();
  for (int i = 0; i < 20; ++i) {
    std::this_thread::sleep_for(50ms);
    least = std::min(least, heap_bytes());
  }
  return least;
}

void held(const Context& context, int locks, Report& report) {
  const Server& server = *context.server;
  const Client client = open_client();
  const std::string what = spell_number(locks) + " held: in the ";
  std::deque<Hold> holds;
  holds.push_back(Mutex(client, name_of(locks)).acquire().value());
  const double heap = heap_bytes();
  const double stored = server.info("memory", "used_memory:");
  for (int i = 0; i < locks; ++i) {
    holds.push_back(Mutex(client, name_of(i)).acquire().value());
  }
  report.add({"renewal", what + "process", (heap_bytes_at_rest() - heap) / locks,
              "bytes each", Target::count_at_most(600)});
  report.add({"renewal", what + "server",
              (server.info("memory", "used_memory:") - stored) / locks, "bytes each"});
  if (!context.smoke) renewed_at_rest(server, report);
}

void at_once(int locks, Report& report) {
  ManyClaims claims(open_client(), locks);
  const std::int64_t start = now_ns();
  const int lost = claims.renew();
  report.add({"renewal", spell_number(locks) + " renewed at once",
              static_cast<double>(now_ns() - start) / 1e9, "s",
              Target::time_at_most(2)});
  report.add({"renewal", "of them not confirmed", static_cast<double>(lost), "",
              Target::count_at_most(0)});
}

}  // namespace

void renewal(const Context& context, Report& report) {
  const int locks = context.smoke ? 16'000 : 100'000;
  at_once(locks, report);
  held(context, locks, report);
}

}  // namespace holdfast::bench::redis
