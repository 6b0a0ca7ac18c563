// tests/support/mysql_server.h - a real MariaDB, for as long as a test wants it.
//
//   MysqlServer server({"--default-time-zone=+05:00"});
//   server.make_database("locks");
//   Client client = Client::open(server.url("/locks"));
//   server.kill();
//   server.start();                               // the same port, the same folder
//
// It listens on 127.0.0.1 and on a unix socket and keeps its files in a folder of its
// own. It dies with the thread that started it, so that nothing is left behind by a
// test that was killed. One starts in a fifth of a second.

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

// Not safe for concurrent use. Throws std::runtime_error, in one sentence, when there
// is no MariaDB on this machine or it does not start.
class MysqlServer {
 public:
  static constexpr std::string_view kUser = "holdfast";
  static constexpr std::string_view kPassword = "c4n4ry";

  // `arguments` come last and win; `environment` as for Process.
  explicit MysqlServer(std::vector<std::string> arguments = {},
                       std::vector<std::string> environment = {});
  ~MysqlServer();

  // With our tables in it. The user may do there what the manual says, and no more.
  void make_database(const std::string& name);

  std::uint16_t port() const noexcept { return port_; }
  std::string socket() const { return dir_.file("socket"); }
  std::string file(std::string_view name) const { return dir_.file(name); }

  // mysql://USER:PASSWORD@127.0.0.1:PORT..., or over another port that leads here.
  std::string url(std::string_view rest, std::uint16_t port = 0) const;

  MysqlShell shell() const { return MysqlShell(socket()); }

  void kill();   // -9; nothing that was answered is forgotten
  void stop();   // asks it to end, and waits
  void start();  // after either
  void pause();  // SIGSTOP; returns when it has stopped
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
