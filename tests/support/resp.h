// tests/support/resp.h - the protocol of Redis, as far as tests need it.
//
//   RedisSocket redis(server.port());
//   EXPECT_EQ(redis.call({"GET", "a"}).text, "1");
//
// Of its own, so that a test does not read with the eyes of what it tests.

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/here.h"
#include "support/scale.h"

namespace holdfast::test {

// One value: a request (an array of words), a reply or a message.
struct Resp {
  char type = 0;     // one of + - : $ *
  bool nil = false;  // "$-1" or "*-1"
  std::string text;  // of everything but an array
  std::vector<Resp> items;

  bool is_error() const noexcept { return type == '-'; }
  long number() const { return std::stol(text); }

  // For people and for EXPECT_EQ: items separated by blanks, nil as "nil".
  std::string spelt() const;
};

// The first value in `bytes`, which is then cut off; nothing: it is not whole yet.
// Throws std::runtime_error: this is not the protocol.
std::optional<Resp> take_resp(std::string& bytes);

std::string spell_request(const std::vector<std::string>& words);

// A connection to 127.0.0.1. Throws std::runtime_error (of which std::system_error is
// one) when it is not answered in time.
// Not safe for concurrent use.
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
