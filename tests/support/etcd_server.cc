// SPDX-License-Identifier: Apache-2.0

#include "support/etcd_server.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include "support/eventually.h"
#include "support/free_port.h"

namespace holdfast::test {
namespace {

std::string program() {
  const char* const chosen = std::getenv("HOLDFAST_ETCD");
  return chosen != nullptr && *chosen != '\0' ? chosen : "etcd";
}

std::string here(std::uint16_t port) { return "127.0.0.1:" + std::to_string(port); }

}  // namespace

EtcdServer::EtcdServer(std::vector<std::string> arguments)
    : EtcdServer(Member{"one", 0, 0, {}}, std::move(arguments)) {
  constexpr int kTries = 5;  // Another process may take the ports meanwhile.
  for (int i = 1; !running(); ++i) {
    member_.port = free_port();
    member_.peer_port = free_port();
    member_.all = "one=http://" + here(member_.peer_port);
    try {
      start();
    } catch (const std::runtime_error&) {
      if (i == kTries) throw;
      std::filesystem::remove_all(dir_.file("data"));
    }
  }
}

EtcdServer::EtcdServer(Member member, std::vector<std::string> arguments)
    : arguments_(std::move(arguments)),
      tls_(std::ranges::find(arguments_, "--cert-file") != arguments_.end()),
      member_(std::move(member)) {}

EtcdServer::~EtcdServer() = default;

std::string EtcdServer::address() const { return here(port()); }

std::string EtcdServer::url(std::string_view rest) const {
  return (tls_ ? "etcds://" : "etcd://") + address() + std::string(rest);
}

void EtcdServer::kill() {
  process_->signal(SIGKILL);
  process_->wait();
  process_.reset();
}

void EtcdServer::stop() {
  process_->signal(SIGTERM);
  if (!process_->wait()) throw std::runtime_error("etcd does not end");
  process_.reset();
}

void EtcdServer::start() {
  launch();
  expect();
}

void EtcdServer::launch() {
  const std::string log = dir_.file("log");
  std::filesystem::remove(log);
  const std::string clients = (tls_ ? "https://" : "http://") + address();
  const std::string peers = "http://" + here(member_.peer_port);
  // gRPC inside etcd writes to stderr, whatever the log options say.
  std::vector<std::string> command{
      "setpriv", "--pdeathsig", "KILL", "sh", "-c", "exec \"$@\" 2>>\"$0\"", log,
      program(), "--name", member_.name, "--data-dir", dir_.file("data"),
      "--listen-client-urls", clients, "--advertise-client-urls", clients,
      "--listen-peer-urls", peers, "--initial-advertise-peer-urls", peers,
      "--initial-cluster", member_.all, "--logger", "zap", "--log-outputs", log,
      // The shortest lease is one and a half election timeouts, in whole seconds.
      "--heartbeat-interval", "10", "--election-timeout", "100", "--unsafe-no-fsync"};
  command.insert(command.end(), arguments_.begin(), arguments_.end());
  process_.emplace(std::move(command));
}

void EtcdServer::expect() {
  if (eventually([this] { return process_->wait({}) || serves(); }) && serves()) return;
  const bool missing = process_->wait({}) == kNoSuchProgram;
  process_.reset();
  throw std::runtime_error(missing ? "there is no etcd on this machine"
                                   : "etcd does not start: " + dir_.end_of("log"));
}

void EtcdServer::pause() { process_->pause(); }

// The log is read, not the port, which another server may have taken.
bool EtcdServer::serves() const {
  return dir_.contents("log").find("serving client traffic") != std::string::npos;
}

}  // namespace holdfast::test
