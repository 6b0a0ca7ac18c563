// SPDX-License-Identifier: Apache-2.0

// bench/mysql/server.h - a MariaDB of our own: the program in HOLDFAST_MARIADBD, or
// else `mariadbd`.

#pragma once

#include <memory>
#include <optional>
#include <string>

#include "ground.h"
#include "mysql/connection.h"
#include "program.h"

namespace holdfast::bench::mysql {

// The server has its default settings: each commit is on the disk before it is
// answered.
class Server : public CountedServer {
 public:
  // Its files go into a new folder below `dir`, which is removed with it. Throws
  // std::runtime_error when there is no MariaDB, or it does not start.
  explicit Server(const std::string& dir);
  ~Server() override;

  std::string url() const override;

  // Counts statements, except those that ask for this number.
  double requests() const override;
  double cpu_seconds() const override { return program_->cpu_seconds(); }

 private:
  bool serves() const;
  void make_tables() const;
  double received() const;

  int port_ = 0;
  std::string dir_;
  std::optional<Program> program_;
  mutable std::unique_ptr<Connection> watcher_;
  mutable double asked_ = 0;
};

}  // namespace holdfast::bench::mysql
