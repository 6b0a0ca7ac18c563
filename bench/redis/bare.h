// SPDX-License-Identifier: Apache-2.0

// bench/redis/bare.h - the rival without a library: the commands that a Holdfast Mutex
// sends, on a bare connection.

#pragma once

#include <cstdint>
#include <string>

#include "contestant.h"
#include "redis/connection.h"
#include "redis/server.h"

namespace holdfast::bench::redis {

struct Pair {
  Command lock;
  Command unlock;
};

// Returns what a Mutex of that name sends, seen by MONITOR. The server has the scripts
// then.
Pair captured(const Server& server, const std::string& name);

// Returns the same commands for another name.
Pair renamed(const Pair& pair, const std::string& from, const std::string& to);

class Bare final : public Contestant {
 public:
  Bare(int port, const Pair& pair)
      : connection_(port), lock_(encode(pair.lock)), unlock_(encode(pair.unlock)) {}
  void lock() override { connection_.send(lock_); }
  void unlock() override { connection_.send(unlock_); }
  void pairs(std::int64_t n) override {
    for (std::int64_t i = 0; i < n; ++i) {
      connection_.send(lock_);
      connection_.send(unlock_);
    }
  }

 private:
  Connection connection_;
  const std::string lock_;
  const std::string unlock_;
};

}  // namespace holdfast::bench::redis
