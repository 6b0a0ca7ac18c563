// SPDX-License-Identifier: Apache-2.0

// tests/support/http2_headers.h - reads the header blocks of HTTP/2 (RFC 7541).
//
// It is enough for a client that does not use Huffman's code, such as gRPC C++.

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

namespace holdfast::test {

// The object reads one direction of one connection, because a block may refer to those
// before it. It throws std::runtime_error if the bytes are no such block. The class is
// not safe for concurrent use.
class Http2Headers {
 public:
  // Returns the ":path" of the next block, or an empty text if it has none.
  std::string path_of(std::string_view block);

 private:
  struct Field {
    std::string name;
    std::string value;
  };

  Field at(std::size_t index) const;
  Field literal(std::string_view& block, int bits) const;
  void remember(const Field& field);
  void resize(std::size_t limit);

  std::deque<Field> recent_;  // the latest first
  std::size_t size_ = 0;      // their size, as the standard counts it
  std::size_t limit_ = 4096;
};

}  // namespace holdfast::test
