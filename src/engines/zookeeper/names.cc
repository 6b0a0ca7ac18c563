// SPDX-License-Identifier: Apache-2.0

#include "engines/zookeeper/names.h"

#include <algorithm>

#include "base/common_failures.h"
#include "base/percent.h"

namespace holdfast::zookeeper {
namespace {

constexpr std::string_view kReserved = "zookeeper";  // at the root

void append_hex(std::string& out, unsigned char byte) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  out += '%';
  out += kDigits[byte >> 4];
  out += kDigits[byte & 15];
}

std::size_t length_of(unsigned char lead) noexcept {
  return lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
}

// ZooKeeper uses UTF-16 and accepts neither surrogates, which are the characters of
// four bytes in UTF-8, nor the private characters from U+E000 on.
bool is_plain(unsigned char lead) noexcept {
  return lead < 0xEE && lead != '/' && lead != '%';
}

bool is_step(std::string_view step) noexcept {
  return !step.empty() && step != "." && step != ".." &&
         std::all_of(step.begin(), step.end(), [](unsigned char byte) {
           return byte >= 0x20 && byte != 0x7F && byte < 0xEE;
         });
}

}  // namespace

bool is_path(std::string_view path) noexcept {
  if (!path.starts_with('/')) return false;
  while (!path.empty()) {
    path.remove_prefix(1);
    const auto end = std::min(path.find('/'), path.size());
    if (!is_step(path.substr(0, end))) return false;
    path.remove_prefix(end);
  }
  return true;
}

std::string encode_name(std::string_view name) {
  std::string out;
  const bool dots = name == "." || name == "..";
  if (dots || name == kReserved) {
    append_hex(out, static_cast<unsigned char>(name.front()));
    name.remove_prefix(1);
  }
  while (!name.empty()) {
    const auto lead = static_cast<unsigned char>(name.front());
    const std::size_t size = std::min(length_of(lead), name.size());
    for (const char byte : name.substr(0, size)) {
      if (is_plain(lead)) {
        out += byte;
      } else {
        append_hex(out, static_cast<unsigned char>(byte));
      }
    }
    name.remove_prefix(size);
  }
  return out;
}

std::optional<std::string> decode_name(std::string_view node) {
  auto name = base::percent_decode(node);
  if (!name || encode_name(*name) != node) return std::nullopt;
  return name;
}

Result<std::string> path_of(std::string_view root, std::string_view name, bool raw) {
  std::string path(root);
  if (!raw) return path.append("/").append(encode_name(name));
  if (!name.starts_with('/')) path += '/';
  path += name;
  if (!is_path(path)) {
    return Failure(Errc::bad_name,
                   base::in_quotes(name) +
                       " is not a path of ZooKeeper, which a name must be with "
                       "?names=raw: use another name, or leave the option out");
  }
  if (path == "/zookeeper" || path.starts_with("/zookeeper/")) {
    return Failure(Errc::bad_name, base::in_quotes(name) +
                                       " leads to /zookeeper, which belongs to "
                                       "ZooKeeper itself: use another name");
  }
  return path;
}

}  // namespace holdfast::zookeeper
