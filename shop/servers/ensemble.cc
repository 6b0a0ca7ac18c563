// SPDX-License-Identifier: Apache-2.0

#include "servers/ensemble.h"

#include <filesystem>
#include <fstream>
#include <set>
#include <utility>

#include "servers/launch.h"

namespace holdfast::shop {
namespace {

std::vector<std::uint16_t> free_ports(std::size_t count) {
  std::set<std::uint16_t> ports;
  while (ports.size() < count) ports.insert(free_port());
  return {ports.begin(), ports.end()};
}

std::string member_folder(const std::string& dir, std::size_t index) {
  std::string path = dir + "/" + std::to_string(index + 1);
  std::filesystem::remove_all(path);  // what an attempt before this one has left
  std::filesystem::create_directories(path);
  return path;
}

void await_all(const std::vector<Child>& members, const std::string& ready) {
  for (const Child& member : members) member.await(ready, kServerPatience);
}

// `ports` are those of the clients, and behind them those of the members.
//
// The shortest lease is one and a half election timeouts. Members that have to hear
// from each other get more time for it.
Child etcd_member(const std::string& dir, std::size_t index, std::size_t members,
                  const std::vector<std::uint16_t>& ports) {
  const bool alone = members == 1;
  const auto url = [](std::uint16_t port) { return "http://" + at(port); };
  const auto name = [](std::size_t i) { return "m" + std::to_string(i + 1); };
  std::string all;
  for (std::size_t i = 0; i < members; ++i) {
    all += (i == 0 ? "" : ",") + name(i) + "=" + url(ports[members + i]);
  }
  const std::string clients = url(ports[index]);
  const std::string peers = url(ports[members + index]);
  const std::string folder = member_folder(dir, index);
  return Child({"etcd",
                "--name",
                name(index),
                "--data-dir",
                folder + "/data",
                "--logger",
                "zap",
                "--listen-client-urls",
                clients,
                "--advertise-client-urls",
                clients,
                "--listen-peer-urls",
                peers,
                "--initial-advertise-peer-urls",
                peers,
                "--initial-cluster",
                all,
                "--heartbeat-interval",
                alone ? "10" : "50",
                "--election-timeout",
                alone ? "100" : "500",
                "--unsafe-no-fsync"},
               folder + "/log");
}

// `ports` are those of the clients, and behind them two for each member.
Child zookeeper_member(const std::string& dir, std::size_t index, std::size_t members,
                       const std::vector<std::uint16_t>& ports) {
  const std::string folder = member_folder(dir, index);
  std::ofstream config(folder + "/zoo.cfg");
  config << "clientPortAddress=127.0.0.1\nclientPort=" << ports[index]
         << "\ndataDir=" << folder
         << "/data\ntickTime=250\nminSessionTimeout=500\nmaxSessionTimeout=600000\n"
            "maxClientCnxns=0\nadmin.enableServer=false\nforceSync=no\n"
            "initLimit=40\nsyncLimit=8\n";
  for (std::size_t i = 0; members > 1 && i < members; ++i) {
    config << "server." << i + 1 << '=' << at(ports[members + i]) << ':'
           << ports[2 * members + i] << '\n';
  }
  config.close();
  std::filesystem::create_directories(folder + "/data");
  std::ofstream(folder + "/data/myid") << index + 1 << '\n';
  std::string jars;
  for (const char* jar : {"zookeeper", "zookeeper-jute", "slf4j-api", "slf4j-simple"}) {
    jars += std::string(jars.empty() ? "" : ":") + "/usr/share/java/" + jar + ".jar";
  }
  return Child(
      {"java", "-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
       "-XX:-UsePerfData", "-cp", jars,
       "org.apache.zookeeper.server.quorum.QuorumPeerMain", folder + "/zoo.cfg"},
      folder + "/log");
}

}  // namespace

Ensemble::Ensemble(std::vector<Child> members, std::vector<std::uint16_t> ports,
                   std::string leads)
    : members_(std::move(members)),
      ports_(std::move(ports)),
      leads_(std::move(leads)) {}

std::string Ensemble::hosts() const {
  std::string all;
  for (const std::uint16_t port : ports_) all += (all.empty() ? "" : ",") + at(port);
  return all;
}

void Ensemble::kill_leader() {
  for (Child& member : members_) {
    if (member.has_said(leads_)) return member.kill();
  }
  throw Trouble(kUnavailable, "no member of the ensemble leads");
}

Ensemble start_etcd(const std::string& dir, std::size_t members) {
  return with_free_ports([&] {
    auto ports = free_ports(2 * members);
    std::vector<Child> children;
    for (std::size_t i = 0; i < members; ++i) {
      children.push_back(etcd_member(dir, i, members, ports));
    }
    await_all(children, "serving client traffic");
    ports.resize(members);
    return Ensemble(std::move(children), std::move(ports), "became leader at term");
  });
}

// A member listens long before it serves: these lines are the last of its start.
Ensemble start_zookeeper(const std::string& dir, std::size_t members) {
  const bool alone = members == 1;
  return with_free_ports([&] {
    auto ports = free_ports(3 * members);
    std::vector<Child> children;
    for (std::size_t i = 0; i < members; ++i) {
      children.push_back(zookeeper_member(dir, i, members, ports));
    }
    await_all(children, alone ? "checkIntervalMs" : " - broadcast");
    ports.resize(members);
    return Ensemble(std::move(children), std::move(ports), "leading - broadcast");
  });
}

}  // namespace holdfast::shop
