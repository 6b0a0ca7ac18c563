// SPDX-License-Identifier: Apache-2.0

// tests/support/zookeeper_server.h - a real ZooKeeper, for as long as a test needs it.
//
//   ZookeeperServer server;
//   Client client = Client::open(server.url("/chroot")).value();
//   server.kill();
//   server.start();                               // the same port, the same folder
//   EXPECT_EQ(server.figure("zk_watch_count"), 1);
//
// It listens on 127.0.0.1 and keeps its files in a folder of its own. It dies with the
// thread that started it, so that a killed test leaves nothing behind.

#pragma once

#include <signal.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/process.h"
#include "support/temp_dir.h"

namespace holdfast::test {

// Returns the server's answer to a four-letter word. Throws std::runtime_error (or
// std::system_error, which is one) when it does not answer.
std::string ask_zookeeper(std::uint16_t port, std::string_view word,
                          std::chrono::milliseconds limit = patience());

// Returns whether it serves clients.
bool zookeeper_serves(std::uint16_t port);

// The class is not safe for concurrent use. It throws std::runtime_error, with one
// sentence, when there is no Java or no ZooKeeper on this machine or it does not start.
class ZookeeperServer {
 public:
  // A client whose URL has this option knows the server's tick, and so has longer
  // leases.
  static constexpr const char* kTickOption = "?tick_time=250ms";

  // `lines` of its configuration file come last and win. Without any, ticks are 250 ms,
  // sessions last from 500 ms to 10 minutes, empty containers are removed within 200
  // ms, and writes to the disk are not awaited ("forceSync=yes" awaits them).
  explicit ZookeeperServer(std::vector<std::string> lines = {});

  // This is one server of an ensemble, which is started later.
  ZookeeperServer(std::uint16_t port, std::vector<std::string> lines);

  ~ZookeeperServer();

  std::uint16_t port() const noexcept { return port_; }
  std::string url(std::string_view rest = {}) const;  // zookeeper://127.0.0.1:PORT...
  std::string file(std::string_view name) const { return dir_.file(name); }

  // Sends "ruok", "mntr", "cons" or another word.
  std::string command(std::string_view word) const {
    return ask_zookeeper(port_, word);
  }

  // Returns a figure of `mntr`, such as "zk_packets_received", or zero if there is
  // none.
  long figure(std::string_view name) const;

  // Returns the sessions that are connected to it.
  std::vector<std::int64_t> sessions() const;

  void kill();    // sends SIGKILL
  void stop();    // asks it to end, and waits
  void start();   // starts it after either
  void launch();  // the first half of start(), which does not wait
  void expect();  // the second half, which waits until clients are served
  void pause();   // sends SIGSTOP, and returns when it has stopped
  void resume() { process_->signal(SIGCONT); }
  bool running() const noexcept { return process_.has_value(); }

 private:
  bool serves() const;
  void write_config() const;

  const TempDir dir_;
  const std::vector<std::string> lines_;
  std::uint16_t port_ = 0;
  std::optional<Process> process_;
};

}  // namespace holdfast::test
