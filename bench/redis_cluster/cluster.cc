// SPDX-License-Identifier: Apache-2.0

#include "redis_cluster/cluster.h"

#include <chrono>
#include <stdexcept>
#include <thread>

#include "free_port.h"
#include "redis/connection.h"

namespace holdfast::bench::redis_cluster {
namespace {

using redis::Command;
using redis::Connection;
using redis::Reply;
using redis::Server;

constexpr int kSlots = 16'384;
constexpr std::chrono::seconds kPatience(20);

std::string ask(const Server& server, const Command& command) {
  const Reply reply = Connection(server.port()).call(command);
  return {reply->str == nullptr ? "" : reply->str, reply->len};
}

void expect_ok(const Server& server, const Command& command) {
  const std::string said = ask(server, command);
  if (said != "OK") throw std::runtime_error(command.at(1) + ": " + said);
}

// Each server learns from the others which slots they have.
bool is_whole_to(const Server& server) {
  const std::string info = ask(server, {"CLUSTER", "INFO"});
  return info.find("cluster_state:ok\r") != info.npos &&
         info.find("cluster_slots_ok:" + std::to_string(kSlots) + "\r") != info.npos;
}

}  // namespace

Cluster::Cluster(int primaries, const std::string& dir) {
  std::string first_bus;
  for (int i = 0; i < primaries; ++i) {
    // By default it would be the port plus 10,000, which may be too large.
    const std::string bus = std::to_string(free_port());
    if (i == 0) first_bus = bus;
    const Server& server = servers_.emplace_back(std::vector<std::string>{
        "--cluster-enabled", "yes", "--cluster-port", bus, "--dir", dir,
        "--cluster-config-file", "nodes-" + bus});
    expect_ok(server,
              {"CLUSTER", "ADDSLOTSRANGE", std::to_string(kSlots * i / primaries),
               std::to_string(kSlots * (i + 1) / primaries - 1)});
    expect_ok(server, {"CLUSTER", "SET-CONFIG-EPOCH", std::to_string(i + 1)});
    expect_ok(server, {"CLUSTER", "MEET", "127.0.0.1",
                       std::to_string(servers_.front().port()), first_bus});
  }
  expect_whole();
}

std::string Cluster::url() const {
  std::string hosts;
  for (const Server& each : servers_) {
    hosts += (hosts.empty() ? "" : ",") + ("127.0.0.1:" + std::to_string(each.port()));
  }
  return "redis+cluster://" + hosts;
}

double Cluster::cpu_seconds() const {
  double sum = 0;
  for (const Server& each : servers_) sum += each.cpu_seconds();
  return sum;
}

double Cluster::calls(const std::vector<std::string>& commands) const {
  double sum = 0;
  for (const Server& each : servers_) sum += each.calls(commands);
  return sum;
}

void Cluster::expect_whole() const {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  for (const Server& each : servers_) {
    while (!is_whole_to(each)) {
      if (std::chrono::steady_clock::now() > end) {
        throw std::runtime_error("the Redis Cluster does not become whole");
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
}

}  // namespace holdfast::bench::redis_cluster
