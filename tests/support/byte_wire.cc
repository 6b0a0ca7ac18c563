// SPDX-License-Identifier: Apache-2.0

#include "support/fault_wire.h"

namespace holdfast::test {
namespace {

class ByteWire : public Wire {
 public:
  std::optional<Request> request(const std::string& bytes) override {
    if (bytes.empty()) return std::nullopt;
    return Request{bytes.size(), std::nullopt, {}, false};
  }
  std::optional<Reply> reply(const std::string& bytes) override {
    if (bytes.empty()) return std::nullopt;
    return Reply{bytes.size(), std::nullopt};
  }
};

}  // namespace

std::unique_ptr<Wire> make_byte_wire() { return std::make_unique<ByteWire>(); }

}  // namespace holdfast::test
