// SPDX-License-Identifier: Apache-2.0

// bench/zookeeper/server.h - a ZooKeeper of our own.

#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "ground.h"
#include "program.h"

namespace holdfast::bench::zookeeper {

class Server : public CountedServer {
 public:
  // Its files go into a new folder below `dir`, which is removed with it. Throws
  // std::runtime_error when there is no Java or no ZooKeeper, or it does not start.
  explicit Server(const std::string& dir);
  ~Server() override;

  std::string url() const override {
    return "zookeeper://127.0.0.1:" + std::to_string(port_);
  }
  double requests() const override;  // pings included
  double cpu_seconds() const override { return program_->cpu_seconds(); }

 private:
  std::string ask(std::string_view word, std::chrono::seconds patience) const;
  double packets() const;
  bool serves() const;

  int port_ = 0;
  std::string dir_;
  std::optional<Program> program_;
  mutable double asked_ = 0;
};

}  // namespace holdfast::bench::zookeeper
