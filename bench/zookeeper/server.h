// bench/zookeeper/server.h - a ZooKeeper of our own.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "program.h"

namespace holdfast::bench::zookeeper {

class Server {
 public:
  // Its files go into a new folder below `dir`, which is removed with it. Throws
  // std::runtime_error when there is no Java or no ZooKeeper, or it does not start.
  explicit Server(const std::string& dir);
  Server(Server&&) noexcept = default;
  Server& operator=(Server&&) = delete;
  ~Server();

  std::string url() const { return "zookeeper://127.0.0.1:" + std::to_string(port_); }

  // How many came since the start, of any client, pings included. Returns when no more
  // come.
  double requests() const;

 private:
  std::string ask(std::string_view word) const;
  double packets() const;
  bool serves() const;

  int port_ = 0;
  std::string dir_;
  std::optional<Program> program_;
  mutable double asked_ = 0;
};

}  // namespace holdfast::bench::zookeeper
