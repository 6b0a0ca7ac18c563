// SPDX-License-Identifier: Apache-2.0

// tests/support/resp.h - the protocol of Redis, as far as tests need it.
//
//   RedisSocket redis(server.port());
//   EXPECT_EQ(redis.call({"GET", "a"}).text, "1");
//
// The tests have a parser of their own, so that they do not share the errors of what
// they test.

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/loopback.h"
#include "support/scale.h"

namespace holdfast::test {

// This is one value: a request (an array of words), a reply or a message.
struct Resp {
  char type = 0;     // one of + - : $ *
  bool nil = false;  // "$-1" or "*-1"
  std::string text;  // the value, unless it is an array
  std::vector<Resp> items;

  bool is_error() const noexcept { return type == '-'; }
  long number() const { return std::stol(text); }

  // Returns text for people and for EXPECT_EQ: items separated by blanks, nil as "nil".
  std::string spelt() const;
};

// Returns the first value in `bytes` and cuts it off, or returns nothing if it is not
// complete yet. Throws std::runtime_error if this is not the protocol.
std::optional<Resp> take_resp(std::string& bytes);

std::string spell_request(const std::vector<std::string>& words);

// This is a connection to 127.0.0.1. It throws std::runtime_error (or
// std::system_error, which is one) when it is not answered in time. The class is not
// safe for concurrent use.
class RedisSocket {
 public:
  explicit RedisSocket(std::uint16_t port);

  Resp call(const std::vector<std::string>& words);
  void send(std::string_view bytes);
  Resp read(std::chrono::milliseconds limit = patience());

 private:
  Socket socket_;
  std::string unread_;
};

}  // namespace holdfast::test
