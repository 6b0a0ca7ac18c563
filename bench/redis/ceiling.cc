// SPDX-License-Identifier: Apache-2.0

#include <optional>

#include "redis/bare.h"
#include "redis/workloads.h"

namespace holdfast::bench::redis {
namespace {

constexpr const char* kCeilingName = "bench/ceiling";

// Returns the requests per second that redis-benchmark reports, or nothing if it is
// missing.
std::optional<double> measure(int connections, const Pair& pair, const Server& server) {
  std::vector<std::string> words = {"redis-benchmark",
                                    "-p",
                                    std::to_string(server.port()),
                                    "-c",
                                    std::to_string(connections),
                                    "-n",
                                    "100000",
                                    "--csv"};
  words.insert(words.end(), pair.lock.begin(), pair.lock.end());
  Program program(Program::As::client, words);
  std::optional<double> rate;
  // The line is "test","rps","avg_latency_ms",...
  while (const auto line = program.read_line()) {
    const std::size_t at = line->find("\",\"");
    if (at == line->npos || line->starts_with("\"test\"")) continue;
    rate = std::stod(line->substr(at + 3));
  }
  return rate;
}

}  // namespace

void ceiling(const Context& context, Report& report) {
  const Pair pair = captured(*context.server, kCeilingName);
  for (const int connections : {1, 8, 32}) {
    const auto rate = measure(connections, pair, *context.server);
    if (!rate)
      return report.leave_out("ceiling", "redis-benchmark, which is not there");
    report.add({"ceiling",
                "redis-benchmark, connections: " + std::to_string(connections),
                *rate / 2, "pairs/s"});
  }
}

}  // namespace holdfast::bench::redis
