// tests/support/redis_server.h - a real redis-server, for as long as a test wants it.
//
//   RedisServer server({"appendonly yes"});
//   Client client = Client::open(server.url("/1"));
//   server.kill();
//   server.start();                               // the same port, the same folder
//   EXPECT_EQ(server.command({"DBSIZE"}), "0");
//
// It listens on 127.0.0.1 and keeps its files in a folder of its own. It dies with the
// thread that started it, so that nothing is left behind by a test that was killed.

#pragma once

#include <signal.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/process.h"
#include "support/resp.h"
#include "support/temp_dir.h"

namespace holdfast::test {

// Not safe for concurrent use. Throws std::runtime_error, in one sentence, when there
// is no redis-server on this machine or it does not start.
class RedisServer {
 public:
  // `lines` of its configuration file, where passwords can be too. Without any it
  // writes nothing to disk.
  explicit RedisServer(std::vector<std::string> lines = {});
  ~RedisServer();

  std::uint16_t port() const noexcept { return port_; }
  std::string url(std::string_view rest = {}) const;  // redis://127.0.0.1:PORT + rest
  std::string file(std::string_view name) const { return dir_.file(name); }

  // What it answers to one command, spelt; an error begins with its code. As the
  // default user, with its password.
  std::string command(const std::vector<std::string>& words) const;

  // How often a command was called, also by scripts, since CONFIG RESETSTAT.
  long calls(std::string_view command) const;

  void kill();   // -9
  void stop();   // asks it to end, and waits: what is to be saved is saved
  void start();  // after either
  void pause();  // SIGSTOP; returns when it has stopped
  void resume() { process_->signal(SIGCONT); }

 private:
  bool answers();
  void write_config() const;

  const TempDir dir_;
  const std::vector<std::string> lines_;
  std::string password_;
  std::uint16_t port_ = 0;
  std::optional<Process> process_;
};

}  // namespace holdfast::test
