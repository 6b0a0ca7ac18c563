// SPDX-License-Identifier: Apache-2.0

// tests/support/etcd_server.h - a real etcd, for as long as a test needs it.
//
//   EtcdServer server({"--auth-token-ttl", "1"});
//   Client client = Client::open(server.url("/app/locks")).value();
//   server.kill();
//   server.start();                               // the same port, the same folder
//
// It is the program in HOLDFAST_ETCD, or else `etcd`. It listens on 127.0.0.1 and keeps
// its files in a folder of its own. It dies with the thread that started it, so that a
// killed test leaves nothing behind. It starts in a tenth of a second.

#pragma once

#include <signal.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/process.h"
#include "support/temp_dir.h"

namespace holdfast::test {

// The class is not safe for concurrent use. It throws std::runtime_error, with one
// sentence, when there is no etcd on this machine or it does not start.
class EtcdServer {
 public:
  // A Member says where one server of a cluster is, and where all are:
  // "a=http://127.0.0.1:1,b=...".
  struct Member {
    std::string name;
    std::uint16_t port;
    std::uint16_t peer_port;
    std::string all;
  };

  // `arguments` come last and win. Without any, a lease may be as short as a second,
  // and writes to the disk are not awaited ("--unsafe-no-fsync=false" awaits them).
  // With "--cert-file" among them the server speaks TLS to clients.
  explicit EtcdServer(std::vector<std::string> arguments = {});

  // This is one server of a cluster, which is started later.
  explicit EtcdServer(Member member, std::vector<std::string> arguments = {});

  ~EtcdServer();

  std::uint16_t port() const noexcept { return member_.port; }
  std::string address() const;                        // 127.0.0.1:PORT
  std::string url(std::string_view rest = {}) const;  // etcd(s)://127.0.0.1:PORT...
  std::string file(std::string_view name) const { return dir_.file(name); }

  void kill();    // sends SIGKILL; no answered write is forgotten
  void stop();    // asks it to end, and waits: some seconds, if streams are open
  void start();   // starts it after either
  void launch();  // the first half of start(), which does not wait
  void expect();  // the second half, which waits until clients are served
  void pause();   // sends SIGSTOP, and returns when it has stopped
  void resume() { process_->signal(SIGCONT); }
  bool running() const noexcept { return process_.has_value(); }
  pid_t pid() const noexcept { return process_->pid(); }

 private:
  bool serves() const;

  const TempDir dir_;
  const std::vector<std::string> arguments_;
  const bool tls_;
  Member member_;
  std::optional<Process> process_;
};

}  // namespace holdfast::test
