// SPDX-License-Identifier: Apache-2.0

// tests/support/redis_server.h - a real redis-server, for as long as a test needs it.
//
//   RedisServer server({"appendonly yes"});
//   Client client = Client::open(server.url("/1")).value();
//   server.kill();
//   server.start();                               // the same port, the same folder
//   EXPECT_EQ(server.command({"DBSIZE"}), "0");
//
// It listens on 127.0.0.1 and keeps its files in a folder of its own. It dies with the
// thread that started it, so that a killed test leaves nothing behind.

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

// The class is not safe for concurrent use. It throws std::runtime_error, with one
// sentence, when there is no redis-server on this machine or it does not start.
class RedisServer {
 public:
  // `lines` are those of its configuration file, which may contain passwords. Without
  // any, the server writes nothing to disk. With a line "sentinel monitor ..." it is a
  // sentinel, which keeps what it has learnt when it is started again.
  explicit RedisServer(std::vector<std::string> lines = {});
  ~RedisServer();

  std::uint16_t port() const noexcept { return port_; }
  std::string url(std::string_view rest = {}) const;  // redis://127.0.0.1:PORT + rest
  std::string file(std::string_view name) const { return dir_.file(name); }

  // Runs one command as the default user, with its password, and returns the answer as
  // text; an error begins with its code.
  std::string command(const std::vector<std::string>& words) const;

  // Returns how often a command was called, also by scripts, since CONFIG RESETSTAT.
  long calls(std::string_view command) const;

  void kill();   // sends SIGKILL
  void stop();   // asks it to end, and waits: it saves what it is configured to save
  void start();  // starts it after either
  void start_elsewhere();  // the same, at another port; not for a sentinel
  void pause();            // sends SIGSTOP, and returns when it has stopped
  void resume() { process_->signal(SIGCONT); }

 private:
  bool answers();
  void write_config() const;

  const TempDir dir_;
  const std::vector<std::string> lines_;
  std::string password_;
  bool is_sentinel_ = false;
  bool has_run_ = false;
  std::uint16_t port_ = 0;
  std::optional<Process> process_;
};

// Returns whether `part` is in what a server has answered.
inline bool contains(const std::string& answer, std::string_view part) {
  return answer.find(part) != std::string::npos;
}

}  // namespace holdfast::test
