// SPDX-License-Identifier: Apache-2.0

#include "redis/connection.h"

#include <stdexcept>

namespace holdfast::bench::redis {

std::string encode(const Command& command) {
  std::string bytes = "*" + std::to_string(command.size()) + "\r\n";
  for (const std::string& word : command) {
    bytes += "$" + std::to_string(word.size()) + "\r\n" + word + "\r\n";
  }
  return bytes;
}

Connection::Connection(int port) : context_(redisConnect("127.0.0.1", port)) {
  if (!context_ || context_->err != 0) {
    throw std::runtime_error("cannot connect to 127.0.0.1:" + std::to_string(port));
  }
}

Reply Connection::send(const std::string& encoded) {
  append(encoded);
  return read();
}

void Connection::append(const std::string& encoded) {
  redisAppendFormattedCommand(context_.get(), encoded.data(), encoded.size());
}

Reply Connection::read() {
  void* reply = nullptr;
  if (redisGetReply(context_.get(), &reply) != REDIS_OK) {
    throw std::runtime_error(std::string("redis: ") + context_->errstr);
  }
  Reply result(static_cast<redisReply*>(reply));
  if (result->type == REDIS_REPLY_ERROR) throw std::runtime_error(result->str);
  return result;
}

}  // namespace holdfast::bench::redis
