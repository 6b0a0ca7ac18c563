// SPDX-License-Identifier: Apache-2.0

// bench/redis/connection.h - a bare connection through hiredis.

#pragma once

#include <hiredis/hiredis.h>

#include <memory>
#include <string>
#include <vector>

namespace holdfast::bench::redis {

using Command = std::vector<std::string>;

struct FreeReply {
  void operator()(redisReply* reply) const noexcept { freeReplyObject(reply); }
};
using Reply = std::unique_ptr<redisReply, FreeReply>;

// Returns the bytes of a command, which can be sent many times.
std::string encode(const Command& command);

// Connects to 127.0.0.1. Throws std::runtime_error. The class is not safe for
// concurrent use.
class Connection {
 public:
  explicit Connection(int port);

  Reply call(const Command& command) { return send(encode(command)); }
  Reply send(const std::string& encoded);
  Reply read();  // reads the answer to `append`, or what no command has asked for

  // Sends a command with the next `read`.
  void append(const std::string& encoded);

 private:
  struct Close {
    void operator()(redisContext* context) const noexcept { redisFree(context); }
  };
  std::unique_ptr<redisContext, Close> context_;
};

}  // namespace holdfast::bench::redis
