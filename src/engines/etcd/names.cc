// SPDX-License-Identifier: Apache-2.0

#include "engines/etcd/names.h"

#include <charconv>

#include "base/percent.h"

namespace holdfast::etcd {

using engine::Kind;

std::string encode_name(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c == '/') {
      out += "%2F";
    } else if (c == '%') {
      out += "%25";
    } else {
      out += c;
    }
  }
  return out;
}

std::optional<std::string> decode_name(std::string_view key) {
  auto name = base::percent_decode(key);
  if (!name || name->empty() || encode_name(*name) != key) return std::nullopt;
  return name;
}

std::string end_of(std::string prefix) {
  while (!prefix.empty() && prefix.back() == '\xff') prefix.pop_back();
  if (prefix.empty()) return std::string(1, '\0');
  ++prefix.back();
  return prefix;
}

std::string hex(std::uint64_t number) {
  char text[16];
  const auto end = std::to_chars(std::begin(text), std::end(text), number, 16).ptr;
  return {std::begin(text), end};
}

std::string id_of(std::int64_t lease, engine::Ticket ticket) {
  return hex(static_cast<std::uint64_t>(lease)) + "-" +
         hex(static_cast<std::uint64_t>(ticket));
}

// Go takes every key directly below a name for a claim, so it is one.
KeyRole role_of(std::string_view rest) noexcept {
  if (rest == "permits") return KeyRole::permits;
  if (rest == "ready") return KeyRole::ready;
  const auto slash = rest.find('/');
  if (slash == std::string_view::npos) return KeyRole::lock;
  const auto first = rest.substr(0, slash);
  if (rest.find('/', slash + 1) != std::string_view::npos) return KeyRole::other;
  if (first == "read") return KeyRole::read;
  if (first == "write") return KeyRole::write;
  if (first == "claims") return KeyRole::claim;
  if (first == "waiters") return KeyRole::waiter;
  return KeyRole::other;
}

bool is_claim_key(KeyRole role) noexcept {
  return role != KeyRole::permits && role != KeyRole::ready && role != KeyRole::other;
}

bool belongs(KeyRole role, Kind kind) noexcept {
  switch (kind) {
    case Kind::mutex:
    case Kind::fair_mutex:
    case Kind::election:
      return role == KeyRole::lock;
    case Kind::shared_mutex:
      return role == KeyRole::read || role == KeyRole::write;
    case Kind::semaphore:
      return role == KeyRole::claim || role == KeyRole::permits;
    case Kind::double_barrier:
      return role == KeyRole::waiter || role == KeyRole::ready;
    default:
      return false;
  }
}

}  // namespace holdfast::etcd
