// SPDX-License-Identifier: Apache-2.0

#include "support/etcd_cluster.h"

#include <stdexcept>
#include <utility>

#include "support/eventually.h"
#include "support/free_port.h"

namespace holdfast::test {
namespace {

std::vector<std::unique_ptr<EtcdServer>> launch() {
  std::vector<EtcdServer::Member> members;
  std::string all;
  for (std::size_t i = 0; i < EtcdCluster::kServers; ++i) {
    const std::string name(1, static_cast<char>('a' + i));
    members.push_back({name, fresh_port(), fresh_port(), {}});
    all += (i == 0 ? "" : ",") + name +
           "=http://127.0.0.1:" + std::to_string(members.back().peer_port);
  }
  std::vector<std::unique_ptr<EtcdServer>> result;
  for (EtcdServer::Member& each : members) {
    each.all = all;
    result.push_back(std::make_unique<EtcdServer>(
        std::move(each), std::vector<std::string>{"--heartbeat-interval", "50",
                                                  "--election-timeout", "500"}));
    result.back()->launch();
  }
  return result;
}

bool serves(EtcdShell shell) {
  try {
    return shell.revision() > 0;
  } catch (const std::runtime_error&) {
    return false;
  }
}

}  // namespace

EtcdCluster::EtcdCluster() {
  constexpr int kTries = 3;  // Other processes may take the ports meanwhile.
  for (int i = 1; servers_.empty(); ++i) {
    servers_ = launch();
    try {
      expect();
    } catch (const std::runtime_error&) {
      if (i == kTries) throw;
      servers_.clear();
    }
  }
}

std::string EtcdCluster::url(std::string_view rest, std::size_t first) const {
  std::string hosts;
  for (std::size_t i = 0; i < kServers; ++i) {
    hosts += (i == 0 ? "" : ",") + servers_[(first + i) % kServers]->address();
  }
  return "etcd://" + hosts + std::string(rest);
}

std::size_t EtcdCluster::leader() const {
  std::size_t found = kServers;
  if (!eventually([&] {
        for (std::size_t i = 0; i < kServers; ++i) {
          if (servers_[i]->running() && shell(i).leads()) found = i;
        }
        return found != kServers;
      })) {
    throw std::runtime_error("no etcd leads");
  }
  return found;
}

void EtcdCluster::expect() {
  for (std::size_t i = 0; i < kServers; ++i) {
    if (!servers_[i]->running()) continue;
    servers_[i]->expect();
    if (!eventually([&] { return serves(shell(i)); })) {
      throw std::runtime_error("etcd does not serve");
    }
  }
}

}  // namespace holdfast::test
