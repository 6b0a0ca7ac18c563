// SPDX-License-Identifier: Apache-2.0

#include "zookeeper/server.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>
#include <vector>

#include "free_port.h"
#include "settle.h"

namespace holdfast::bench::zookeeper {
namespace {

using namespace std::chrono_literals;

constexpr int kTries = 5;  // Another process may take the port meanwhile.
constexpr std::string_view kPackets = "\nzk_packets_received\t";

std::string class_path() {
  std::string path;
  for (const char* name : {"zookeeper", "zookeeper-jute", "slf4j-api", "slf4j-nop"}) {
    path += "/usr/share/java/" + std::string(name) + ".jar:";
  }
  return path;
}

}  // namespace

Server::Server(const std::string& dir) : dir_(dir + "/holdfast-zookeeper-XXXXXX") {
  if (mkdtemp(dir_.data()) == nullptr) {
    throw std::runtime_error("cannot create " + dir_);
  }
  const std::string config = dir_ + "/zoo.cfg";
  const std::vector<std::string> command = {
      "java", "-Xmx512m",   "-XX:+UseSerialGC",
      "-cp",  class_path(), "org.apache.zookeeper.server.quorum.QuorumPeerMain",
      config};
  for (int i = 0; i < kTries; ++i) {
    port_ = free_port();
    std::ofstream(config) << "clientPortAddress=127.0.0.1\nclientPort=" << port_
                          << "\ndataDir=" << dir_
                          << "/data\nmaxClientCnxns=0\nadmin.enableServer=false\n"
                             "4lw.commands.whitelist=mntr\n";
    program_.emplace(Program::As::server, command);
    if (serves()) return;
  }
  throw std::runtime_error(
      "ZooKeeper does not start; are libzookeeper-java and Java here?");
}

Server::~Server() {
  program_.reset();
  std::error_code ignored;
  std::filesystem::remove_all(dir_, ignored);
}

bool Server::serves() const {
  for (int i = 0; i < 500; ++i, std::this_thread::sleep_for(20ms)) {
    if (("\n" + ask("mntr", 1s)).find(kPackets) != std::string::npos) return true;
  }
  return false;
}

std::string Server::ask(std::string_view word, std::chrono::seconds patience) const {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port_));
  const timeval limit = {.tv_sec = patience.count(), .tv_usec = 0};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  std::string answer;
  if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 &&
      send(fd, word.data(), word.size(), MSG_NOSIGNAL) > 0) {
    char buffer[4096];
    for (ssize_t n = 0; (n = recv(fd, buffer, sizeof buffer, 0)) > 0;) {
      answer.append(buffer, static_cast<std::size_t>(n));
    }
  }
  close(fd);
  return answer;
}

// Our own questions are counted too, and are subtracted.
double Server::packets() const {
  const std::string all = ask("mntr", 30s);
  const std::size_t at = all.find(kPackets);
  if (at == std::string::npos) throw std::runtime_error("ZooKeeper does not answer");
  return std::stod(all.substr(at + kPackets.size())) - ++asked_;
}

double Server::requests() const {
  return settled([&] { return packets(); });
}

}  // namespace holdfast::bench::zookeeper
