// SPDX-License-Identifier: Apache-2.0

#include "support/http2_headers.h"

#include <stdexcept>

namespace holdfast::test {
namespace {

// This is the static table, from 1 on. The values are not needed.
constexpr std::string_view kNames[] = {":authority",
                                       ":method",
                                       ":method",
                                       ":path",
                                       ":path",
                                       ":scheme",
                                       ":scheme",
                                       ":status",
                                       ":status",
                                       ":status",
                                       ":status",
                                       ":status",
                                       ":status",
                                       ":status",
                                       "accept-charset",
                                       "accept-encoding",
                                       "accept-language",
                                       "accept-ranges",
                                       "accept",
                                       "access-control-allow-origin",
                                       "age",
                                       "allow",
                                       "authorization",
                                       "cache-control",
                                       "content-disposition",
                                       "content-encoding",
                                       "content-language",
                                       "content-length",
                                       "content-location",
                                       "content-range",
                                       "content-type",
                                       "cookie",
                                       "date",
                                       "etag",
                                       "expect",
                                       "expires",
                                       "from",
                                       "host",
                                       "if-match",
                                       "if-modified-since",
                                       "if-none-match",
                                       "if-range",
                                       "if-unmodified-since",
                                       "last-modified",
                                       "link",
                                       "location",
                                       "max-forwards",
                                       "proxy-authenticate",
                                       "proxy-authorization",
                                       "range",
                                       "referer",
                                       "refresh",
                                       "retry-after",
                                       "server",
                                       "set-cookie",
                                       "strict-transport-security",
                                       "transfer-encoding",
                                       "user-agent",
                                       "vary",
                                       "via",
                                       "www-authenticate"};
static_assert(std::size(kNames) == 61);

std::uint8_t first(std::string_view bytes) {
  if (bytes.empty()) throw std::runtime_error("a header block ends too early");
  return static_cast<std::uint8_t>(bytes.front());
}

// Reads a number that begins in the lowest `bits` of a byte.
std::size_t take_number(std::string_view& bytes, int bits) {
  const std::size_t most = (1U << bits) - 1;
  std::size_t value = first(bytes) & most;
  bytes.remove_prefix(1);
  if (value < most) return value;
  for (int shift = 0; shift < 28; shift += 7) {
    const std::uint8_t byte = first(bytes);
    bytes.remove_prefix(1);
    value += static_cast<std::size_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
  throw std::runtime_error("a header block has too large a number");
}

std::string take_string(std::string_view& bytes) {
  if (first(bytes) >= 0x80) throw std::runtime_error("a header is in Huffman's code");
  const std::size_t size = take_number(bytes, 7);
  if (size > bytes.size()) throw std::runtime_error("a header block ends too early");
  const std::string text(bytes.substr(0, size));
  bytes.remove_prefix(size);
  return text;
}

}  // namespace

std::string Http2Headers::path_of(std::string_view block) {
  std::string path;
  while (!block.empty()) {
    Field field;
    const std::uint8_t kind = first(block);
    if (kind >= 0x80) {
      field = at(take_number(block, 7));
    } else if (kind >= 0x40) {
      field = literal(block, 6);
      remember(field);
    } else if (kind >= 0x20) {
      resize(take_number(block, 5));
    } else {
      field = literal(block, 4);
    }
    if (field.name == ":path") path = field.value;
  }
  return path;
}

Http2Headers::Field Http2Headers::at(std::size_t index) const {
  constexpr std::size_t kKnown = std::size(kNames);
  if (index == 0 || index > kKnown + recent_.size()) {
    throw std::runtime_error("there is no such header");
  }
  if (index <= kKnown) return {std::string(kNames[index - 1]), {}};
  return recent_[index - kKnown - 1];
}

Http2Headers::Field Http2Headers::literal(std::string_view& block, int bits) const {
  const std::size_t index = take_number(block, bits);
  std::string name = index == 0 ? take_string(block) : at(index).name;
  return {std::move(name), take_string(block)};
}

void Http2Headers::remember(const Field& field) {
  recent_.push_front(field);
  size_ += field.name.size() + field.value.size() + 32;
  resize(limit_);
}

void Http2Headers::resize(std::size_t limit) {
  limit_ = limit;
  for (; size_ > limit_; recent_.pop_back()) {
    size_ -= recent_.back().name.size() + recent_.back().value.size() + 32;
  }
}

}  // namespace holdfast::test
