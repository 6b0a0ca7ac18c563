// SPDX-License-Identifier: Apache-2.0

// engines/redis/transport/reply.h - the replies of Redis.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "holdfast/result.h"

struct redisReply;

namespace holdfast::redis {

// This is a view of one value in a reply. An accessor that does not fit the value's
// type returns zero, an empty text or nil.
class ReplyView {
 public:
  explicit ReplyView(const redisReply* reply) noexcept : reply_(reply) {}

  bool is_nil() const noexcept;
  bool is_error() const noexcept;
  bool is_array() const noexcept;
  std::int64_t number() const noexcept;    // of an integer, or of text that is a
                                           // decimal number
  std::string_view text() const noexcept;  // of a string, a status or an error
  std::size_t size() const noexcept;       // of an array
  ReplyView operator[](std::size_t index) const noexcept;  // It is nil beyond the end.

 private:
  const redisReply* reply_;
};

// A Reply owns a whole reply.
class Reply {
 public:
  Reply() = default;
  explicit Reply(redisReply* reply) noexcept : reply_(reply) {}

  explicit operator bool() const noexcept { return reply_ != nullptr; }
  ReplyView view() const noexcept { return ReplyView(reply_.get()); }

 private:
  struct Free {
    void operator()(redisReply* reply) const noexcept;
  };
  std::unique_ptr<redisReply, Free> reply_;
};

// Cuts bytes into replies with hiredis's reader, within limits: one reply has at most
// 16 MiB, 100,000 elements and 7 levels. The class is not safe for concurrent use.
class ReplyReader {
 public:
  ReplyReader();
  ~ReplyReader();
  ReplyReader(const ReplyReader&) = delete;
  ReplyReader& operator=(const ReplyReader&) = delete;

  // Errc::incompatible means that the bytes are not a reply of Redis.
  Result<void> feed(std::string_view bytes);
  Result<std::optional<Reply>> next();  // Nothing means that more bytes are needed.

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace holdfast::redis
