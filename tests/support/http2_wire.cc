// SPDX-License-Identifier: Apache-2.0

#include <stdexcept>
#include <string_view>
#include <utility>

#include "support/fault_wire.h"
#include "support/http2_headers.h"

namespace holdfast::test {
namespace {

constexpr std::string_view kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
constexpr std::size_t kHead = 9;
constexpr std::string_view kCalls = "/etcdserverpb.KV/";

enum Type : std::uint8_t { kHeaders = 1, kResetStream = 3, kContinuation = 9 };
enum Flag : std::uint8_t { kEndHeaders = 0x4, kPadded = 0x8, kPriority = 0x20 };

struct Frame {
  std::uint8_t type;
  std::uint8_t flags;
  std::uint32_t stream;
  std::string_view rest;  // without its header
  std::size_t size() const noexcept { return kHead + rest.size(); }
};

std::uint32_t number(std::string_view bytes) {
  std::uint32_t value = 0;
  for (const char each : bytes) value = value << 8 | static_cast<unsigned char>(each);
  return value;
}

std::optional<Frame> frame(std::string_view bytes) {
  if (bytes.size() < kHead) return std::nullopt;
  const std::size_t size = number(bytes.substr(0, 3));
  if (bytes.size() < kHead + size) return std::nullopt;
  return Frame{static_cast<std::uint8_t>(bytes[3]), static_cast<std::uint8_t>(bytes[4]),
               number(bytes.substr(5, 4)) & 0x7fffffff, bytes.substr(kHead, size)};
}

// Returns the header block in a HEADERS frame, without padding and priority.
std::string_view block_of(const Frame& headers) {
  std::string_view block = headers.rest;
  if ((headers.flags & kPadded) != 0) {
    const std::size_t padding = number(block.substr(0, 1));
    if (padding >= block.size()) throw std::runtime_error("a frame of padding");
    block = block.substr(1, block.size() - 1 - padding);
  }
  return (headers.flags & kPriority) != 0 ? block.substr(5) : block;
}

// Each frame is a message, except that all frames of one header block are one.
class Http2Wire : public Wire {
 public:
  std::optional<Request> request(const std::string& bytes) override {
    if (!begun_) {
      if (bytes.size() < kPreface.size()) return std::nullopt;
      if (!bytes.starts_with(kPreface)) throw std::runtime_error("this is not HTTP/2");
      begun_ = true;
      return Request{kPreface.size(), std::nullopt, {}, false};
    }
    const auto first = frame(bytes);
    if (!first) return std::nullopt;
    if (first->type != kHeaders) {
      const bool takes_back = first->type == kResetStream;
      return Request{first->size(), std::nullopt, {}, false, takes_back};
    }
    std::string block(block_of(*first));
    std::size_t size = first->size();
    for (Frame last = *first; (last.flags & kEndHeaders) == 0; size += last.size()) {
      const auto next = frame(std::string_view(bytes).substr(size));
      if (!next) return std::nullopt;
      if (next->type != kContinuation) throw std::runtime_error("half a header block");
      last = *next;
      block += last.rest;
    }
    const std::string path = headers_.path_of(block);
    return Request{size, first->stream, path.substr(path.rfind('/') + 1),
                   path.starts_with(kCalls)};
  }

  std::optional<Reply> reply(const std::string& bytes) override {
    const auto next = frame(bytes);
    if (!next) return std::nullopt;
    if (next->type != kHeaders) return Reply{next->size(), std::nullopt};
    return Reply{next->size(), next->stream};
  }

 private:
  bool begun_ = false;
  Http2Headers headers_;
};

}  // namespace

std::unique_ptr<Wire> make_http2_wire() { return std::make_unique<Http2Wire>(); }

}  // namespace holdfast::test
