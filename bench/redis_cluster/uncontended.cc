// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <functional>
#include <optional>

#include "contestant.h"
#include "redis/throughput.h"
#include "redis_cluster/cluster.h"
#include "redis_cluster/workloads.h"
#include "timing.h"

namespace holdfast::bench::redis_cluster {
namespace {

using namespace std::chrono_literals;

// Many short rounds: what else the machine does then falls on all sides alike.
constexpr int kRounds = 40;
constexpr std::chrono::milliseconds kRound = 100ms;
constexpr const char* kWorkload = "uncontended";

// How many callers there are, and how many names each of them locks in turn.
struct Shape {
  int threads;
  int names;
  std::optional<Target> rate = std::nullopt;  // in a cluster, of that on one server
};

redis::Contestants callers_at(const std::string& url, const Shape& shape) {
  const Client client = open_client(url);
  redis::Contestants all;
  for (int i = 0; i < shape.threads; ++i) {
    std::vector<std::string> names;
    names.reserve(static_cast<std::size_t>(shape.names));
    for (int j = 0; j < shape.names; ++j) {
      names.push_back("bench/" + std::to_string(i) + "/" + std::to_string(j));
    }
    all.push_back(make_with_names(client, names));
  }
  return all;
}

// The same callers on one topology.
class Side {
 public:
  Side(std::string name, redis::Contestants callers, std::function<double()> server_cpu)
      : name_(std::move(name)),
        callers_(std::move(callers)),
        server_cpu_(std::move(server_cpu)) {}

  void play(std::chrono::milliseconds time) {
    const double before = server_cpu_();
    const redis::Throughput round = redis::throughput(callers_, time);
    rates_.push_back(round.rate());
    cpu_us_.push_back(round.cpu_us());
    server_cpu_us_.push_back((server_cpu_() - before) * 1e6 / round.pairs);
  }
  void forget() {
    for (auto* each : {&rates_, &cpu_us_, &server_cpu_us_}) each->clear();
  }

  void tell(const std::string& where, Report& report) const {
    report.add_row(kWorkload, where + name_,
                   {{"pairs/s", median(rates_)},
                    {"client cpu us", median(cpu_us_)},
                    {"server cpu us", median(server_cpu_us_)}});
  }
  double rate_of(const Side& other) const { return ratio(rates_, other.rates_); }
  double cpu_of(const Side& other) const { return ratio(cpu_us_, other.cpu_us_); }

 private:
  // Compares round with round.
  static double ratio(std::vector<double> of, const std::vector<double>& by) {
    std::ranges::transform(of, by, of.begin(), std::divides<>());
    return median(std::move(of));
  }

  const std::string name_;
  const redis::Contestants callers_;
  const std::function<double()> server_cpu_;
  std::vector<double> rates_;
  std::vector<double> cpu_us_;
  std::vector<double> server_cpu_us_;
};

struct Topologies {
  const redis::Server& server;
  const Cluster one;
  const Cluster three;
};

void measure(const Shape& shape, const Topologies& on, const Context& context,
             Report& report) {
  const auto cpu_of = [](const auto& servers) {
    return [&servers] { return servers.cpu_seconds(); };
  };
  Side server("one server", callers_at(on.server.url(), shape), cpu_of(on.server));
  Side one("one primary", callers_at(on.one.url(), shape), cpu_of(on.one));
  Side three("three primaries", callers_at(on.three.url(), shape), cpu_of(on.three));
  Side* const sides[] = {&server, &one, &three};
  const auto time = duration_cast<std::chrono::milliseconds>(context.time(kRound));
  for (Side* each : sides) {
    each->play(kRound);
    each->forget();
  }
  for (int round = 0; round < context.rounds(kRounds); ++round) {
    for (Side* each : sides) each->play(time);
  }
  const std::string where = "threads: " + std::to_string(shape.threads) + ", ";
  for (const Side* each : sides) each->tell(where, report);
  report.add({kWorkload, where + "one primary: of one server", one.rate_of(server),
              "times", shape.rate});
  report.add({kWorkload, where + "one primary: client's cpu of one server",
              one.cpu_of(server), "times", Target::time_at_most(1.05)});
  report.add({kWorkload, where + "three primaries: of one primary", three.rate_of(one),
              "times"});
}

}  // namespace

// With many threads the servers are the bottleneck, and a primary is slower than a
// server by itself: it looks for the slot of every key, also within scripts. What the
// router costs is the client's processor time.
void uncontended(const Context& context, Report& report) {
  const Topologies on{*context.server, {1, context.dir}, {3, context.dir}};
  measure({1, 1, Target::time_at_least(0.95)}, on, context, report);
  measure({32, 32}, on, context, report);
}

}  // namespace holdfast::bench::redis_cluster
