// SPDX-License-Identifier: Apache-2.0

// bench/etcd/server.h - an etcd of our own: the program in HOLDFAST_ETCD, or else
// `etcd`.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ground.h"
#include "program.h"

namespace holdfast::bench::etcd {

class Server : public CountedServer {
 public:
  // Its files go into a new folder below `dir`, which is removed with it. Throws
  // std::runtime_error when there is no etcd, or it does not start.
  explicit Server(const std::string& dir);
  ~Server() override;

  std::string url() const override {
    return "etcd://127.0.0.1:" + std::to_string(port_);
  }

  // Counts calls and messages in streams, without the keep-alives of leases.
  double requests() const override;
  double cpu_seconds() const override { return program_->cpu_seconds(); }

 private:
  std::string get(std::string_view path) const;  // by HTTP; empty means no answer
  double received() const;
  bool serves() const;

  int port_ = 0;
  std::string dir_;
  std::optional<Program> program_;
};

}  // namespace holdfast::bench::etcd
