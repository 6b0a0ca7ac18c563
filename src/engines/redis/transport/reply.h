// SPDX-License-Identifier: Apache-2.0

// engines/redis/transport/reply.h - the replies of Redis.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "holdfast/result.h"

namespace holdfast::redis {

class ReplyView;

// A Reply owns a whole reply: all its values in one block of memory, and all its texts
// in another. A moved Reply keeps both, so that views of it stay valid.
class Reply {
 public:
  explicit operator bool() const noexcept { return !values_.empty(); }
  ReplyView view() const noexcept;

  // Forgets the reply, but keeps its memory for the next one.
  void clear() noexcept {
    values_.clear();
    texts_.clear();
  }

 private:
  friend class ReplyReader;
  friend class ReplyView;

  enum class Type : std::uint8_t { nil, integer, text, error, array };
  struct Value {
    Type type = Type::nil;
    std::uint32_t size = 0;   // of a text or of an array
    std::int64_t number = 0;  // or where the text or the first element is
  };

  std::vector<Value> values_;  // the whole reply; elements of an array are in a row
  std::vector<char> texts_;
};

// This is a view of one value in a reply. An accessor that does not fit the value's
// type returns zero, an empty text or nil.
class ReplyView {
 public:
  bool is_nil() const noexcept { return type() == Reply::Type::nil; }
  bool is_error() const noexcept { return type() == Reply::Type::error; }
  bool is_array() const noexcept { return type() == Reply::Type::array; }
  std::int64_t number() const noexcept;    // of an integer, or of text that is a
                                           // decimal number
  std::string_view text() const noexcept;  // of a string, a status or an error
  std::size_t size() const noexcept;       // of an array
  ReplyView operator[](std::size_t index) const noexcept;  // It is nil beyond the end.

 private:
  friend class Reply;

  // A null `value` is nil.
  ReplyView(const Reply::Value* values, const char* texts,
            const Reply::Value* value) noexcept
      : values_(values), texts_(texts), value_(value) {}
  Reply::Type type() const noexcept {
    return value_ != nullptr ? value_->type : Reply::Type::nil;
  }

  const Reply::Value* values_;
  const char* texts_;
  const Reply::Value* value_;
};

inline ReplyView Reply::view() const noexcept {
  return {values_.data(), texts_.data(), values_.empty() ? nullptr : values_.data()};
}

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

  // Takes the memory of a reply that is not needed any more, for the next one.
  void reuse(Reply reply) noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace holdfast::redis
