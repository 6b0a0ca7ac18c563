// SPDX-License-Identifier: Apache-2.0

#include "etcd/server.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "free_port.h"
#include "settle.h"

namespace holdfast::bench::etcd {
namespace {

using namespace std::chrono_literals;

constexpr int kTries = 5;  // Another process may take a port meanwhile.

std::string program() {
  const char* const chosen = std::getenv("HOLDFAST_ETCD");
  return chosen != nullptr && *chosen != '\0' ? chosen : "etcd";
}

}  // namespace

Server::Server(const std::string& dir) : dir_(dir + "/holdfast-etcd-XXXXXX") {
  if (mkdtemp(dir_.data()) == nullptr) {
    throw std::runtime_error("cannot create " + dir_);
  }
  for (int i = 0; i < kTries; ++i) {
    port_ = free_port();
    const std::string client = "http://127.0.0.1:" + std::to_string(port_);
    const std::string peer = "http://127.0.0.1:" + std::to_string(free_port());
    program_.emplace(Program::As::server,
                     std::vector<std::string>{program(),
                                              "--name",
                                              "one",
                                              "--data-dir",
                                              dir_ + "/data" + std::to_string(i),
                                              "--listen-client-urls",
                                              client,
                                              "--advertise-client-urls",
                                              client,
                                              "--listen-peer-urls",
                                              peer,
                                              "--initial-advertise-peer-urls",
                                              peer,
                                              "--initial-cluster",
                                              "one=" + peer,
                                              "--logger",
                                              "zap",
                                              "--log-level",
                                              "error",
                                              "--log-outputs",
                                              dir_ + "/log"});
    if (serves()) return;
  }
  throw std::runtime_error("etcd does not start; is etcd-server here?");
}

Server::~Server() {
  program_.reset();
  std::error_code ignored;
  std::filesystem::remove_all(dir_, ignored);
}

bool Server::serves() const {
  for (int i = 0; i < 250; ++i, std::this_thread::sleep_for(20ms)) {
    if (get("/health").find(R"("health":"true")") != std::string::npos) return true;
  }
  return false;
}

std::string Server::get(std::string_view path) const {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port_));
  // The server may still be starting.
  const timeval patience = {.tv_sec = 1, .tv_usec = 0};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  const std::string question = "GET " + std::string(path) + " HTTP/1.0\r\n\r\n";
  std::string answer;
  if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 &&
      send(fd, question.data(), question.size(), MSG_NOSIGNAL) > 0) {
    char buffer[16384];
    for (ssize_t n = 0; (n = recv(fd, buffer, sizeof buffer, 0)) > 0;) {
      answer.append(buffer, static_cast<std::size_t>(n));
    }
  }
  close(fd);
  return answer;
}

double Server::received() const {
  std::istringstream lines(get("/metrics"));
  double sum = -1;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("grpc_server_msg_received_total{")) continue;
    if (sum < 0) sum = 0;
    if (line.find("\"LeaseKeepAlive\"") != std::string::npos) continue;
    sum += std::stod(line.substr(line.rfind(' ')));
  }
  if (sum < 0) throw std::runtime_error("etcd does not answer");
  return sum;
}

double Server::requests() const {
  return settled([&] { return received(); });
}

}  // namespace holdfast::bench::etcd
