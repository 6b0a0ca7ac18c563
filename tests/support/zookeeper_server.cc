// SPDX-License-Identifier: Apache-2.0

#include "support/zookeeper_server.h"

#include <poll.h>
#include <sys/socket.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <utility>

#include "support/eventually.h"
#include "support/free_port.h"
#include "support/loopback.h"

namespace holdfast::test {
namespace {

// A server that is starting may not answer.
constexpr std::chrono::milliseconds kMoment{250};
constexpr const char* kJars = "/usr/share/java/";

// The manifest of the first one names what it needs, except for the second.
constexpr const char* kNeeded[] = {"zookeeper", "zookeeper-jute", "slf4j-api",
                                   "slf4j-simple"};

std::string class_path() {
  std::string path;
  for (const std::string name : kNeeded) {
    const std::string jar = kJars + name + ".jar";
    if (!std::filesystem::exists(jar)) {
      throw std::runtime_error("there is no ZooKeeper on this machine: " + jar);
    }
    path += (path.empty() ? "" : ":") + jar;
  }
  return path;
}

}  // namespace

std::string ask_zookeeper(std::uint16_t port, std::string_view word,
                          std::chrono::milliseconds limit) {
  const Socket socket = connect_loopback(port);
  send(socket.fd(), word.data(), word.size(), MSG_NOSIGNAL);
  std::string answer;
  for (;;) {
    pollfd readable{socket.fd(), POLLIN, 0};
    char buffer[4096];
    const ssize_t n = poll(&readable, 1, static_cast<int>(limit.count())) > 0
                          ? recv(socket.fd(), buffer, sizeof buffer, 0)
                          : -1;
    if (n < 0) throw std::runtime_error("the ZooKeeper does not answer");
    if (n == 0) return answer;
    answer.append(buffer, static_cast<std::size_t>(n));
  }
}

bool zookeeper_serves(std::uint16_t port) {
  try {
    return ask_zookeeper(port, "srvr", scaled(kMoment)).find("\nMode: ") !=
           std::string::npos;
  } catch (const std::runtime_error&) {
    return false;
  }
}

ZookeeperServer::ZookeeperServer(std::vector<std::string> lines)
    : lines_(std::move(lines)) {
  constexpr int kTries = 5;  // Another process may take the port meanwhile.
  for (int i = 1; port_ == 0; ++i) {
    port_ = free_port();
    try {
      start();
    } catch (const std::runtime_error&) {
      if (i == kTries) throw;
      port_ = 0;
    }
  }
}

ZookeeperServer::ZookeeperServer(std::uint16_t port, std::vector<std::string> lines)
    : lines_(std::move(lines)), port_(port) {}

ZookeeperServer::~ZookeeperServer() = default;

std::string ZookeeperServer::url(std::string_view rest) const {
  return "zookeeper://127.0.0.1:" + std::to_string(port_) + std::string(rest);
}

long ZookeeperServer::figure(std::string_view name) const {
  const std::string line = "\n" + std::string(name) + "\t";
  const std::string all = command("mntr");
  const std::size_t at = all.find(line);
  return at == std::string::npos ? 0 : std::stol(all.substr(at + line.size()));
}

std::vector<std::int64_t> ZookeeperServer::sessions() const {
  constexpr std::string_view kId = ",sid=";
  const std::string all = command("cons");
  std::vector<std::int64_t> result;
  for (std::size_t at = 0; (at = all.find(kId, at)) != std::string::npos;) {
    at += kId.size();
    result.push_back(
        static_cast<std::int64_t>(std::stoull(all.substr(at), nullptr, 16)));
  }
  return result;
}

void ZookeeperServer::kill() {
  process_->signal(SIGKILL);
  process_->wait();
  process_.reset();
}

void ZookeeperServer::stop() {
  process_->signal(SIGTERM);
  if (!process_->wait()) throw std::runtime_error("ZooKeeper does not end");
  process_.reset();
}

void ZookeeperServer::start() {
  launch();
  expect();
}

void ZookeeperServer::launch() {
  write_config();
  process_.emplace(std::vector<std::string>{
      "setpriv", "--pdeathsig", "KILL", "java", "-Xmx128m", "-Xms32m",
      "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData",
      "-Dzookeeper.preAllocSize=512", "-Dznode.container.checkIntervalMs=200",
      "-Dorg.slf4j.simpleLogger.showDateTime=true",
      "-Dorg.slf4j.simpleLogger.log.org.apache.zookeeper.server.NIOServerCnxn=warn",
      "-Dorg.slf4j.simpleLogger.logFile=" + dir_.file("log"), "-cp", class_path(),
      "org.apache.zookeeper.server.quorum.QuorumPeerMain", dir_.file("zoo.cfg")});
}

void ZookeeperServer::expect() {
  if (eventually([this] { return process_->wait({}) || serves(); }) && serves()) return;
  const bool missing = process_->wait({}) == kNoSuchProgram;
  process_.reset();
  throw std::runtime_error(missing ? "there is no Java on this machine"
                                   : "ZooKeeper does not start: " + dir_.end_of("log"));
}

void ZookeeperServer::pause() { process_->pause(); }

bool ZookeeperServer::serves() const {
  try {
    // Another server may have taken the port.
    const std::string config = ask_zookeeper(port_, "conf", scaled(kMoment));
    return config.find(dir_.path()) != std::string::npos && zookeeper_serves(port_);
  } catch (const std::runtime_error&) {
    return false;
  }
}

void ZookeeperServer::write_config() const {
  std::ofstream config(dir_.file("zoo.cfg"));
  config << "clientPortAddress=127.0.0.1\nclientPort=" << port_
         << "\ndataDir=" << dir_.file("data")
         << "\ntickTime=250\nminSessionTimeout=500\nmaxSessionTimeout=600000"
            "\nmaxClientCnxns=0\nadmin.enableServer=false\n4lw.commands.whitelist=*"
            "\nforceSync=no\npreAllocSize=1024\n";
  for (const std::string& each : lines_) config << each << "\n";
}

}  // namespace holdfast::test
