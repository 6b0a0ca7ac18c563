// SPDX-License-Identifier: Apache-2.0

#include "support/zookeeper_ensemble.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "support/eventually.h"
#include "support/free_port.h"

namespace holdfast::test {
namespace {

std::string server_line(std::size_t number, std::uint16_t port,
                        std::uint16_t election_port) {
  return "server." + std::to_string(number) + "=127.0.0.1:" + std::to_string(port) +
         ":" + std::to_string(election_port);
}

}  // namespace

// The first server starts last, so that one of the others leads.
void ZookeeperEnsemble::launch(bool remote) {
  lines_.clear();
  servers_.clear();
  std::vector<std::string> config{"initLimit=40",
                                  remote ? "syncLimit=1000" : "syncLimit=8"};
  std::vector<std::string> config_of_first = config;
  for (std::size_t i = 0; i < kServers; ++i) {
    const std::uint16_t port = fresh_port();
    const std::uint16_t election_port = fresh_port();
    config.push_back(server_line(i + 1, port, election_port));
    std::uint16_t seen_port = port;
    if (remote && i > 0) {
      lines_.push_back(std::make_unique<FaultProxy>(port, Protocol::bytes));
      seen_port = lines_.back()->port();
    }
    config_of_first.push_back(server_line(i + 1, seen_port, election_port));
  }
  for (std::size_t i = 0; i < kServers; ++i) {
    servers_.push_back(std::make_unique<ZookeeperServer>(
        fresh_port(), i == 0 ? config_of_first : config));
    const std::string data = servers_.back()->file("data");
    std::filesystem::create_directory(data);
    std::ofstream(data + "/myid") << i + 1 << "\n";
    if (!remote || i > 0) servers_.back()->launch();
  }
  if (!remote) return;
  expect();
  servers_.front()->launch();
}

ZookeeperEnsemble::ZookeeperEnsemble() : ZookeeperEnsemble(false) {}

ZookeeperEnsemble ZookeeperEnsemble::with_a_remote_follower() {
  return ZookeeperEnsemble(true);
}

ZookeeperEnsemble::ZookeeperEnsemble(bool remote) {
  constexpr int kTries = 3;  // Other processes may take the ports meanwhile.
  for (int i = 1;; ++i) {
    try {
      launch(remote);
      expect();
      return;
    } catch (const std::runtime_error&) {
      if (i == kTries) throw;
    }
  }
}

void ZookeeperEnsemble::cut_off_follower(bool on) {
  for (const auto& each : lines_) on ? each->freeze() : each->thaw();
}

std::string ZookeeperEnsemble::url(std::string_view rest) const {
  std::string hosts;
  for (const auto& each : servers_) {
    hosts +=
        (hosts.empty() ? "127.0.0.1:" : ",127.0.0.1:") + std::to_string(each->port());
  }
  return "zookeeper://" + hosts + std::string(rest);
}

std::size_t ZookeeperEnsemble::leader() const {
  auto found = servers_.end();
  const auto leads = [](const auto& each) {
    try {
      return each->running() &&
             each->command("srvr").find("\nMode: leader") != std::string::npos;
    } catch (const std::runtime_error&) {
      return false;
    }
  };
  if (!eventually([&] {
        return (found = std::ranges::find_if(servers_, leads)) != servers_.end();
      })) {
    throw std::runtime_error("no ZooKeeper leads");
  }
  return static_cast<std::size_t>(found - servers_.begin());
}

std::optional<std::size_t> ZookeeperEnsemble::of(std::int64_t session) const {
  for (std::size_t i = 0; i < servers_.size(); ++i) {
    if (!servers_[i]->running()) continue;
    const auto all = servers_[i]->sessions();
    if (std::ranges::find(all, session) != all.end()) return i;
  }
  return std::nullopt;
}

void ZookeeperEnsemble::expect() {
  for (const auto& each : servers_) {
    if (each->running()) each->expect();
  }
}

}  // namespace holdfast::test
