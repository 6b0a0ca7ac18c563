// SPDX-License-Identifier: Apache-2.0

#include <malloc.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <deque>
#include <thread>
#include <variant>

#include "contestant.h"
#include "holdfast/holdfast.h"
#include "redis/server.h"
#include "redis/workloads.h"
#include "timing.h"

namespace holdfast::bench::redis {
namespace {

using namespace std::chrono_literals;

constexpr int kLocks = 100'000;
constexpr std::chrono::seconds kTtl = 30s;  // the default
constexpr std::chrono::seconds kWindow =
    kTtl / 3;  // Every lock is renewed once in this window.
constexpr double kWindowSeconds = 10;

double heap_bytes() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<double>(info.uordblks + info.hblkhd);
}

double cpu_seconds() {
  rusage used = {};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

// The name has 64 bytes, as in `memory` of engine local.
std::string name(int i) {
  char text[65];
  std::snprintf(text, sizeof text, "warehouse/001/product/%042d", i);
  return text;
}

// The keeper renews, while nothing else happens.
void kept(const Server& server, Report& report) {
  const Client client = open_client();
  std::deque<Hold> holds;
  holds.push_back(Mutex(client, name(kLocks)).acquire().value());
  const double heap = heap_bytes();
  const double stored = server.info("memory", "used_memory:");
  for (int i = 0; i < kLocks; ++i) {
    holds.push_back(Mutex(client, name(i)).acquire().value());
  }
  report.add({"renewal", "100,000 held: in the process", (heap_bytes() - heap) / kLocks,
              "bytes each", Target::count_at_most(600)});
  report.add({"renewal", "100,000 held: in the server",
              (server.info("memory", "used_memory:") - stored) / kLocks, "bytes each"});

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

// All claims are renewed in one call, straight over the waist.
void at_once(Report& report) {
  const Client client = open_client();
  engine::Session& session = client.session();
  std::deque<std::shared_ptr<engine::Resource>> resources;
  std::deque<engine::Claim> claims;
  std::vector<engine::ClaimRef> refs;
  for (int i = 0; i < kLocks; ++i) {
    resources.push_back(session.bind({engine::Kind::mutex, name(i)}).value());
    claims.push_back({.ticket = engine::Ticket(1'000'000'000 + i)});
    const auto verdict =
        resources.back()->attempt(claims.back(), nullptr, Clock::now() + kTtl).value();
    if (!std::holds_alternative<engine::Granted>(verdict)) {
      throw std::runtime_error("renewal: a lock is not free");
    }
    refs.push_back({resources.back().get(), &claims.back()});
  }
  const std::int64_t start = now_ns();
  session.renew(refs, Clock::now() + kTtl).value();
  report.add({"renewal", "100,000 renewed at once",
              static_cast<double>(now_ns() - start) / 1e9, "s",
              Target::time_at_most(2)});
  std::int64_t gone = 0;
  for (const engine::ClaimRef& each : refs) gone += each.outcome ? 1 : 0;
  report.add({"renewal", "of them not confirmed", static_cast<double>(gone), "",
              Target::count_at_most(0)});
  for (int i = 0; i < kLocks; ++i) {
    const auto at = static_cast<std::size_t>(i);
    (void)resources[at]->drop(claims[at], Clock::now() + kTtl);
  }
}

}  // namespace

void renewal(const Context& context, Report& report) {
  at_once(report);
  kept(*context.server, report);
}

}  // namespace holdfast::bench::redis
