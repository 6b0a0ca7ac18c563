// SPDX-License-Identifier: Apache-2.0

// tests/support/mysql_server.h - a real MariaDB, for as long as a test needs it.
//
//   MysqlServer server({"--default-time-zone=+05:00"});
//   server.make_database("locks");
//   Client client = Client::open(server.url("/locks")).value();
//   server.kill();
//   server.start();                               // the same port, the same folder
//
// It listens on 127.0.0.1 and on a unix socket and keeps its files in a folder of its
// own. It dies with the thread that started it, so that a killed test leaves nothing
// behind. It starts in a fifth of a second.

#pragma once

#include <signal.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/mysql_shell.h"
#include "support/process.h"
#include "support/temp_dir.h"

namespace holdfast::test {

// The class is not safe for concurrent use. It throws std::runtime_error, with one
// sentence, when there is no MariaDB on this machine or it does not start.
class MysqlServer {
 public:
  static constexpr std::string_view kUser = "holdfast";
  static constexpr std::string_view kPassword = "c4n4ry";

  // `arguments` come last and win; `environment` is as for Process.
  explicit MysqlServer(std::vector<std::string> arguments = {},
                       std::vector<std::string> environment = {});
  ~MysqlServer();

  // Creates a database with our tables. The user has the rights there that the manual
  // says, and no more.
  void make_database(const std::string& name);

  std::uint16_t port() const noexcept { return port_; }
  std::string socket() const { return dir_.file("socket"); }
  std::string file(std::string_view name) const { return dir_.file(name); }

  // Returns mysql://USER:PASSWORD@127.0.0.1:PORT..., or the same with another port that
  // leads here.
  std::string url(std::string_view rest, std::uint16_t port = 0) const;

  MysqlShell shell() const { return MysqlShell(socket()); }

  void kill();   // sends SIGKILL; no answered write is forgotten
  void stop();   // asks it to end, and waits
  void start();  // starts it after either
  void pause();  // sends SIGSTOP, and returns when it has stopped
  void resume() { process_->signal(SIGCONT); }
  bool running() const noexcept { return process_.has_value(); }

 private:
  void launch();
  bool serves() const;

  const TempDir dir_;
  const std::vector<std::string> arguments_;
  const std::vector<std::string> environment_;
  std::uint16_t port_ = 0;
  std::optional<Process> process_;
};

}  // namespace holdfast::test
