// SPDX-License-Identifier: Apache-2.0

#include <limits>
#include <string_view>
#include <utility>

#include "support/fault_wire.h"

namespace holdfast::test {
namespace {

constexpr std::size_t kWord = 4;
constexpr std::uint32_t kLongest = 64 * 1024 * 1024;
constexpr std::int64_t kSignOn = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kEvent = -1;

struct Operation {
  std::int32_t code;
  std::string_view word;
  bool is_call = true;
};

constexpr Operation kOperations[] = {
    {-11, "close", false},
    {1, "create"},
    {2, "delete"},
    {3, "exists"},
    {4, "get"},
    {5, "set"},
    {8, "children"},
    {9, "sync"},
    {11, "ping", false},
    {12, "children2"},
    {14, "multi"},
    {15, "create2"},
    {17, "check_watches", false},
    {18, "remove_watches", false},
    {19, "create_container"},
    {100, "auth", false},
    {101, "watches", false},
    {105, "watches", false},
};

std::int32_t number_at(const std::string& bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (const char each : bytes.substr(at, kWord)) {
    value = value << 8 | static_cast<unsigned char>(each);
  }
  return static_cast<std::int32_t>(value);
}

std::string bytes_of(std::int32_t number) {
  const auto value = static_cast<std::uint32_t>(number);
  std::string bytes;
  for (const int shift : {24, 16, 8, 0}) {
    bytes.push_back(static_cast<char>(value >> shift & 0xFF));
  }
  return bytes;
}

// Returns the size of the frame at the beginning, or nothing if it is not complete yet.
// Bytes that are no frame, as a client sends them to find out what answers, go on to
// the server in one piece.
std::optional<std::size_t> frame(const std::string& bytes, std::size_t at_least) {
  if (bytes.size() < kWord) return std::nullopt;
  const auto size = static_cast<std::uint32_t>(number_at(bytes, 0));
  if (size > kLongest || size < at_least) return bytes.size();
  if (bytes.size() < kWord + size) return std::nullopt;
  return kWord + size;
}

Operation operation(std::int32_t code) {
  for (const Operation& each : kOperations) {
    if (each.code == code) return each;
  }
  return {code, "other"};
}

// After the sign-on, which has no header, every frame begins with its id.
class ZookeeperWire : public Wire {
 public:
  std::optional<Request> request(const std::string& bytes) override {
    const auto size = frame(bytes, 2 * kWord);
    if (!size) return std::nullopt;
    if (!std::exchange(asked_, true)) return Request{*size, kSignOn, "sign_on", false};
    const Operation what = operation(number_at(bytes, 2 * kWord));
    return Request{*size, number_at(bytes, kWord), std::string(what.word),
                   what.is_call};
  }

  std::optional<Reply> reply(const std::string& bytes) override {
    const auto size = frame(bytes, kWord);
    if (!size) return std::nullopt;
    if (!std::exchange(answered_, true)) return Reply{*size, kSignOn};
    const std::int64_t id = number_at(bytes, kWord);
    if (id == kEvent) return Reply{*size, std::nullopt};
    return Reply{*size, id};
  }

  // It asks whether the root exists. The operation follows the id.
  std::string harmless(const std::string& request) const override {
    constexpr std::int32_t kExists = 3;
    const std::string no_watch(1, '\0');
    const std::string rest =
        request.substr(kWord, kWord) + bytes_of(kExists) + bytes_of(1) + "/" + no_watch;
    return bytes_of(static_cast<std::int32_t>(rest.size())) + rest;
  }

  // The code is the last part of the header, after the id and eight bytes of a zxid.
  std::string refusal(const std::string& reply) const override {
    constexpr std::int32_t kThrottled = -127;
    const std::string rest = reply.substr(kWord, 3 * kWord) + bytes_of(kThrottled);
    return bytes_of(static_cast<std::int32_t>(rest.size())) + rest;
  }

 private:
  bool asked_ = false;
  bool answered_ = false;
};

}  // namespace

std::unique_ptr<Wire> make_zookeeper_wire() {
  return std::make_unique<ZookeeperWire>();
}

}  // namespace holdfast::test
