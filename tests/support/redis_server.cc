// SPDX-License-Identifier: Apache-2.0

#include "support/redis_server.h"

#include <fstream>
#include <stdexcept>
#include <utility>

#include "support/eventually.h"
#include "support/free_port.h"

namespace holdfast::test {
namespace {

constexpr std::string_view kPassword = "requirepass ";

}  // namespace

RedisServer::RedisServer(std::vector<std::string> lines) : lines_(std::move(lines)) {
  for (const std::string& each : lines_) {
    if (each.starts_with(kPassword)) password_ = each.substr(kPassword.size());
    if (each.starts_with("sentinel ")) is_sentinel_ = true;
  }
  start_elsewhere();
}

RedisServer::~RedisServer() = default;

std::string RedisServer::url(std::string_view rest) const {
  return "redis://127.0.0.1:" + std::to_string(port_) + std::string(rest);
}

std::string RedisServer::command(const std::vector<std::string>& words) const {
  RedisSocket socket(port_);
  if (!password_.empty()) socket.call({"AUTH", password_});
  return socket.call(words).spelt();
}

long RedisServer::calls(std::string_view command) const {
  const std::string head = "cmdstat_" + std::string(command) + ":calls=";
  const std::string stats = this->command({"INFO", "commandstats"});
  const std::size_t at = stats.find(head);
  return at == std::string::npos ? 0 : std::stol(stats.substr(at + head.size()));
}

void RedisServer::kill() {
  process_->signal(SIGKILL);
  process_->wait();
  process_.reset();
}

void RedisServer::stop() {
  process_->signal(SIGTERM);
  if (!process_->wait()) throw std::runtime_error("redis-server does not end");
  process_.reset();
}

void RedisServer::start() {
  std::vector<std::string> words{"setpriv", "--pdeathsig", "KILL", "redis-server",
                                 dir_.file("redis.conf")};
  if (is_sentinel_) words.emplace_back("--sentinel");
  if (!is_sentinel_ || !has_run_) write_config();
  process_.emplace(words);
  const bool up =
      eventually([this] { return process_->wait({}) || answers(); }) && answers();
  if (up) {
    has_run_ = true;
    return;
  }
  const bool missing = process_->wait({}) == kNoSuchProgram;
  process_.reset();
  throw std::runtime_error(missing ? "there is no redis-server on this machine"
                                   : "redis-server does not start: " +
                                         dir_.contents("log"));
}

void RedisServer::start_elsewhere() {
  constexpr int kTries = 5;  // Another process may take the port meanwhile.
  for (int i = 1;; ++i) {
    port_ = free_port();
    try {
      return start();
    } catch (const std::runtime_error&) {
      if (i == kTries) throw;
    }
  }
}

void RedisServer::pause() { process_->pause(); }

bool RedisServer::answers() {
  try {
    // Another server may have taken the port.
    const std::string pid = "process_id:" + std::to_string(process_->pid()) + "\r";
    const std::string info = command({"INFO"});
    return info.find(pid) != std::string::npos &&
           info.find("\r\nloading:1\r") == std::string::npos;
  } catch (const std::exception&) {
    return false;
  }
}

void RedisServer::write_config() const {
  std::ofstream config(dir_.file("redis.conf"));
  config << "bind 127.0.0.1\nsave \"\"\ndir " << dir_.path() << "\nport " << port_
         << "\nlogfile " << dir_.file("log") << "\n";
  for (const std::string& each : lines_) config << each << "\n";
}

}  // namespace holdfast::test
