#include "support/zookeeper_ensemble.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <stdexcept>

#include "support/eventually.h"
#include "support/free_port.h"

namespace holdfast::test {
namespace {

std::uint16_t another_port() {
  static std::set<std::uint16_t> taken;
  for (;;) {
    const std::uint16_t port = free_port();
    if (taken.insert(port).second) return port;
  }
}

std::vector<std::unique_ptr<ZookeeperServer>> launch() {
  std::vector<std::string> lines{"initLimit=40", "syncLimit=8"};
  for (std::size_t i = 1; i <= ZookeeperEnsemble::kServers; ++i) {
    lines.push_back("server." + std::to_string(i) +
                    "=127.0.0.1:" + std::to_string(another_port()) + ":" +
                    std::to_string(another_port()));
  }
  std::vector<std::unique_ptr<ZookeeperServer>> result;
  for (std::size_t i = 1; i <= ZookeeperEnsemble::kServers; ++i) {
    result.push_back(std::make_unique<ZookeeperServer>(another_port(), lines));
    const std::string data = result.back()->file("data");
    std::filesystem::create_directory(data);
    std::ofstream(data + "/myid") << i << "\n";
    result.back()->launch();
  }
  return result;
}

}  // namespace

ZookeeperEnsemble::ZookeeperEnsemble() {
  constexpr int kTries = 3;  // other processes may take the ports meanwhile
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
