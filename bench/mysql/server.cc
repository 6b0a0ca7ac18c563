// SPDX-License-Identifier: Apache-2.0

#include "mysql/server.h"

#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <thread>

#include "free_port.h"
#include "settle.h"

namespace holdfast::bench::mysql {
namespace {

using namespace std::chrono_literals;

constexpr int kTries = 5;  // Another process may take the port meanwhile.

std::string program() {
  const char* const chosen = std::getenv("HOLDFAST_MARIADBD");
  if (chosen != nullptr && *chosen != '\0') return chosen;
  const std::string usual = "/usr/sbin/mariadbd";  // The folder is not in every PATH.
  return access(usual.c_str(), X_OK) == 0 ? usual : "mariadbd";
}

}  // namespace

// The server checks no users, so that no user tables must be made first.
Server::Server(const std::string& dir) : dir_(dir + "/holdfast-mysql-XXXXXX") {
  if (mkdtemp(dir_.data()) == nullptr) {
    throw std::runtime_error("cannot create " + dir_);
  }
  for (int i = 0; i < kTries; ++i) {
    port_ = free_port();
    const std::string data = dir_ + "/data" + std::to_string(i);
    std::filesystem::create_directory(data);
    std::vector<std::string> command{program(),
                                     "--no-defaults",
                                     "--skip-grant-tables",
                                     "--datadir=" + data,
                                     "--socket=" + data + ".socket",
                                     "--pid-file=" + data + ".pid",
                                     "--log-error=" + data + ".log",
                                     "--table-open-cache=400",
                                     "--bind-address=127.0.0.1",
                                     "--port=" + std::to_string(port_)};
    // Otherwise it refuses to run as root.
    if (geteuid() == 0) command.push_back("--user=root");
    program_.emplace(Program::As::server, std::move(command));
    if (serves()) {
      make_tables();
      return;
    }
  }
  throw std::runtime_error("mariadbd does not start; is mariadb-server-core here?");
}

Server::~Server() {
  watcher_.reset();
  program_.reset();
  std::error_code ignored;
  std::filesystem::remove_all(dir_, ignored);
}

std::string Server::url() const {
  return std::string("mysql://") + kUser + "@127.0.0.1:" + std::to_string(port_) + "/" +
         kDatabase;
}

bool Server::serves() const {
  setenv("HOLDFAST_URL", url().c_str(), 1);
  for (int i = 0; i < 500; ++i, std::this_thread::sleep_for(20ms)) {
    try {
      watcher_ = std::make_unique<Connection>(nullptr);
      return true;
    } catch (const std::runtime_error&) {  // The server is not ready yet.
    }
  }
  return false;
}

// Makes the rivals' tables; Holdfast makes its own.
void Server::make_tables() const {
  const std::string database = kDatabase;
  watcher_->run("CREATE DATABASE " + database);
  watcher_->run("USE " + database);
  watcher_->run(
      "CREATE TABLE tb_lock (id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, lock_name "
      "VARCHAR(100) NOT NULL UNIQUE, create_time TIMESTAMP NULL) ENGINE=InnoDB");
  watcher_->run(
      "CREATE TABLE commits (id INT PRIMARY KEY, number BIGINT NOT NULL) "
      "ENGINE=InnoDB");
  watcher_->run("INSERT INTO commits VALUES (1, 0)");
}

double Server::received() const {
  const double all = watcher_->figure("SHOW GLOBAL STATUS LIKE 'Questions'");
  return all - ++asked_;
}

double Server::requests() const {
  return settled([&] { return received(); });
}

}  // namespace holdfast::bench::mysql
