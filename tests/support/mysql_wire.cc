// SPDX-License-Identifier: Apache-2.0

#include <stdexcept>
#include <string_view>

#include "support/fault_wire.h"

namespace holdfast::test {
namespace {

constexpr std::size_t kHeader = 4;  // three bytes of length, one of the number

std::uint8_t byte_at(const std::string& bytes, std::size_t at) {
  return static_cast<std::uint8_t>(bytes.at(at));
}

// Returns the size of the packet at the beginning, or nothing if it is not complete
// yet.
std::optional<std::size_t> packet(const std::string& bytes) {
  if (bytes.size() < kHeader) return std::nullopt;
  const std::size_t size = byte_at(bytes, 0) | std::size_t{byte_at(bytes, 1)} << 8 |
                           std::size_t{byte_at(bytes, 2)} << 16;
  if (bytes.size() < kHeader + size) return std::nullopt;
  return kHeader + size;
}

struct Command {
  std::uint8_t code;
  std::string_view word;
  bool is_answered = true;
};

constexpr Command kCommands[] = {
    {0x01, "quit", false},  {0x03, "query"},   {0x0e, "ping"},
    {0x16, "prepare"},      {0x17, "execute"}, {0x18, "long_data", false},
    {0x19, "close", false}, {0x1a, "reset"},
};

Command command(std::uint8_t code) {
  for (const Command& each : kCommands) {
    if (each.code == code) return each;
  }
  return {code, "other"};
}

// The server greets first, and until it has admitted the client, both send packets of
// the handshake. Then every command is packet number zero of its exchange.
class MysqlWire : public Wire {
 public:
  std::optional<Request> request(const std::string& bytes) override {
    const auto size = packet(bytes);
    if (!size) return std::nullopt;
    if (!is_in_) return Request{*size, std::nullopt, "sign_on", false};
    if (*size == kHeader) throw std::runtime_error("an empty command");
    const Command what = command(byte_at(bytes, kHeader));
    const auto id = what.is_answered ? std::optional(asked_++) : std::nullopt;
    return Request{*size, id, std::string(what.word), what.word == "execute"};
  }

  // An answer may have many packets: the first one stands for it.
  std::optional<Reply> reply(const std::string& bytes) override {
    const auto size = packet(bytes);
    if (!size) return std::nullopt;
    const std::uint8_t number = byte_at(bytes, 3);
    if (!is_in_) {
      is_in_ = number > 0 && *size > kHeader && byte_at(bytes, kHeader) == 0;
      return Reply{*size, std::nullopt};
    }
    if (number != 1 || answered_ == asked_) return Reply{*size, std::nullopt};
    return Reply{*size, answered_++};
  }

 private:
  bool is_in_ = false;
  std::int64_t asked_ = 0;
  std::int64_t answered_ = 0;
};

}  // namespace

std::unique_ptr<Wire> make_mysql_wire() { return std::make_unique<MysqlWire>(); }

}  // namespace holdfast::test
