// engines/redis/reply.h - what Redis answered.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "holdfast/result.h"

struct redisReply;

namespace holdfast::redis {

// A view of one value in a reply. Asking it for what it is not gives zero, empty or
// nothing.
class ReplyView {
 public:
  explicit ReplyView(const redisReply* reply) noexcept : reply_(reply) {}

  bool is_nil() const noexcept;
  bool is_error() const noexcept;
  bool is_array() const noexcept;
  std::int64_t number() const noexcept;    // of an integer, or of decimal text
  std::string_view text() const noexcept;  // of a string, a status or an error
  std::size_t size() const noexcept;       // of an array
  ReplyView operator[](std::size_t index) const noexcept;  // nil beyond the end

 private:
  const redisReply* reply_;
};

// A whole reply.
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

// What an error reply means, in Holdfast's words: wrong_kind, denied, full,
// unavailable, unsupported, incompatible. REQUIRES: is_error().
Failure failure_of(ReplyView error);
bool is_no_script(ReplyView reply) noexcept;

// Whether only a replica answers so: whatever is locked there is locked nowhere.
bool is_of_replica(ReplyView reply) noexcept;

// Cuts bytes into replies, through hiredis's reader, within limits: one reply has at
// most 16 MiB, 100,000 elements and 7 levels. Not safe for concurrent use.
class ReplyReader {
 public:
  ReplyReader();
  ~ReplyReader();
  ReplyReader(const ReplyReader&) = delete;
  ReplyReader& operator=(const ReplyReader&) = delete;

  // Errc::incompatible: this is no reply of Redis.
  Result<void> feed(std::string_view bytes);
  Result<std::optional<Reply>> next();  // nothing: more bytes are needed

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace holdfast::redis
