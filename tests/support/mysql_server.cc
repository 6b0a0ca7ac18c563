// SPDX-License-Identifier: Apache-2.0

#include "support/mysql_server.h"

#include <filesystem>
#include <stdexcept>
#include <utility>

#include "holdfast/schema.h"
#include "support/eventually.h"
#include "support/free_port.h"
#include "support/mysql_data.h"

namespace holdfast::test {
MysqlServer::MysqlServer(std::vector<std::string> arguments,
                         std::vector<std::string> environment)
    : arguments_(std::move(arguments)), environment_(std::move(environment)) {
  make_mysql_data(dir_.file("data"));
  constexpr int kTries = 5;  // Another process may take the port meanwhile.
  for (int i = 1; !running(); ++i) {
    port_ = free_port();
    try {
      start();
    } catch (const std::runtime_error&) {
      if (i == kTries) throw;
    }
  }
  shell().run("CREATE USER " + std::string(kUser) + " IDENTIFIED BY '" +
              std::string(kPassword) + "'");
}

MysqlServer::~MysqlServer() = default;

void MysqlServer::make_database(const std::string& name) {
  std::string script = "CREATE DATABASE " + name + "; USE " + name + ";";
  script += holdfast::schema("mysql").value();
  for (const std::string table : {"resource", "claim", "mark"}) {
    script += "GRANT SELECT, INSERT, UPDATE, DELETE ON " + name + ".holdfast_" + table +
              " TO " + std::string(kUser) + ";";
  }
  shell().run(script);
}

std::string MysqlServer::url(std::string_view rest, std::uint16_t port) const {
  return "mysql://" + std::string(kUser) + ":" + std::string(kPassword) +
         "@127.0.0.1:" + std::to_string(port == 0 ? port_ : port) + std::string(rest);
}

void MysqlServer::kill() {
  process_->signal(SIGKILL);
  process_->wait();
  process_.reset();
}

void MysqlServer::stop() {
  process_->signal(SIGTERM);
  if (!process_->wait()) throw std::runtime_error("mariadbd does not end");
  process_.reset();
}

void MysqlServer::start() {
  launch();
  if (eventually([this] { return process_->wait({}) || serves(); }) && serves()) return;
  process_.reset();
  throw std::runtime_error("mariadbd does not start: " + dir_.end_of("log"));
}

void MysqlServer::launch() {
  const std::string log = dir_.file("log");
  std::filesystem::remove(log);
  std::vector<std::string> command{"setpriv", "--pdeathsig", "KILL",
                                   "sh",      "-c",          "exec \"$@\" 2>\"$0\"",
                                   log,       mariadbd()};
  for (std::string& each : mysql_storage_arguments(dir_.file("data"))) {
    command.push_back(std::move(each));
  }
  command.insert(command.end(),
                 {"--socket=" + socket(), "--port=" + std::to_string(port_),
                  "--bind-address=127.0.0.1", "--pid-file=" + dir_.file("pid"),
                  "--tmpdir=" + dir_.path(), "--skip-log-bin", "--skip-name-resolve",
                  "--performance-schema=off", "--key-buffer-size=1M",
                  "--aria-pagecache-buffer-size=1M"});
  command.insert(command.end(), arguments_.begin(), arguments_.end());
  process_.emplace(std::move(command), environment_);
}

void MysqlServer::pause() { process_->pause(); }

// The log is read, not the port, which another server may have taken.
bool MysqlServer::serves() const {
  return dir_.contents("log").find("ready for connections") != std::string::npos;
}

}  // namespace holdfast::test
