// tests/support/http2_headers.h - reads the header blocks of HTTP/2 (RFC 7541).
//
// Enough for a client that does not use Huffman's code, such as gRPC C++.

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

namespace holdfast::test {

// Of one direction of one connection: what a block says may depend on those before it.
// Throws std::runtime_error: this is no such block. Not safe for concurrent use.
class Http2Headers {
 public:
  // The ":path" of the next block; empty: it has none.
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
  std::size_t size_ = 0;      // of them, as the standard counts
  std::size_t limit_ = 4096;
};

}  // namespace holdfast::test
