// tests/support/zookeeper_server.h - a real ZooKeeper, for as long as a test wants it.
//
//   ZookeeperServer server;
//   Client client = Client::open(server.url("/chroot"));
//   server.kill();
//   server.start();                               // the same port, the same folder
//   EXPECT_EQ(server.figure("zk_watch_count"), 1);
//
// It listens on 127.0.0.1 and keeps its files in a folder of its own. It dies with the
// thread that started it, so that nothing is left behind by a test that was killed.

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

// What the server on this port says to a word of four letters. Throws
// std::runtime_error (of which std::system_error is one) when it does not answer.
std::string ask_zookeeper(std::uint16_t port, std::string_view word,
                          std::chrono::milliseconds limit = patience());

// Whether it serves clients.
bool zookeeper_serves(std::uint16_t port);

// Not safe for concurrent use. Throws std::runtime_error, in one sentence, when there
// is no Java or no ZooKeeper on this machine or it does not start.
class ZookeeperServer {
 public:
  // For the URL of a client, which has longer leases when it knows the server's tick.
  static constexpr const char* kTickOption = "?tick_time=250ms";

  // `lines` of its configuration file come last and win. Without any: ticks of 250 ms,
  // sessions from 500 ms up to 10 minutes, empty containers are removed within 200 ms,
  // and the disk is written to but not waited for ("forceSync=yes": it is).
  explicit ZookeeperServer(std::vector<std::string> lines = {});

  // One of several, that is started later.
  ZookeeperServer(std::uint16_t port, std::vector<std::string> lines);

  ~ZookeeperServer();

  std::uint16_t port() const noexcept { return port_; }
  std::string url(std::string_view rest = {}) const;  // zookeeper://127.0.0.1:PORT...
  std::string file(std::string_view name) const { return dir_.file(name); }

  // "ruok", "mntr", "cons", ...
  std::string command(std::string_view word) const {
    return ask_zookeeper(port_, word);
  }

  // One of `mntr`: "zk_packets_received". Zero: there is none.
  long figure(std::string_view name) const;

  // The sessions that are connected to it.
  std::vector<std::int64_t> sessions() const;

  void kill();    // -9
  void stop();    // asks it to end, and waits
  void start();   // after either
  void launch();  // the first half of start(): does not wait
  void expect();  // the other: waits until clients are served
  void pause();   // SIGSTOP; returns when it has stopped
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
