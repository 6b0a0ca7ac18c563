// SPDX-License-Identifier: Apache-2.0

#include "engines/zookeeper/stored_register.h"

#include <algorithm>
#include <charconv>
#include <limits>

namespace holdfast::zookeeper {
namespace {

using Type = Op::Type;

constexpr std::string_view kLatch = "latch ";

std::size_t width_of(RegisterFormat format) noexcept {
  return format == RegisterFormat::shared_count ? 4 : 8;
}

std::int64_t read_number(std::string_view bytes) noexcept {
  std::uint64_t number = 0;
  for (const char each : bytes) {
    number = number << 8 | static_cast<unsigned char>(each);
  }
  if (bytes.size() == 4) {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(number));
  }
  return static_cast<std::int64_t>(number);
}

std::string write_number(std::int64_t number, std::size_t width) {
  std::string bytes(width, '\0');
  auto rest = static_cast<std::uint64_t>(number);
  for (auto each = bytes.rbegin(); each != bytes.rend(); ++each) {
    *each = static_cast<char>(rest & 0xFF);
    rest >>= 8;
  }
  return bytes;
}

bool read_latch(std::string_view text, StoredRegister& stored) {
  if (!is_latch(text)) return false;
  text.remove_prefix(kLatch.size());
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, stored.number);
  if (error != std::errc{} || rest == end || *rest != ' ') return false;
  if (stored.number < 0) return false;
  stored.tag.assign(rest + 1, end);
  return !stored.tag.empty() && stored.tag.find('/') == std::string::npos;
}

// A barrier contains what Curator wrote: an address, which may have 8 characters.
bool is_text(std::string_view data) noexcept {
  return std::all_of(data.begin(), data.end(),
                     [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
}

// A directory that is not in use, or a number that was erased. A counter uses the
// latter again, so that its version goes on growing.
bool is_leftover(RegisterFormat format, const Stat& stat) noexcept {
  if (stat.cversion > 0 || format == RegisterFormat::latch) return true;
  return format == RegisterFormat::barrier && stat.version > 0;
}

}  // namespace

bool is_latch(std::string_view data) noexcept { return data.starts_with(kLatch); }

bool looks_like_a_number(std::string_view data) noexcept {
  if (is_latch(data)) return true;
  return data.size() == 4 || (data.size() == 8 && !is_text(data));
}

std::optional<StoredRegister> read_register(RegisterFormat format, const Answer& node) {
  StoredRegister stored;
  if (!node.ok()) return stored;
  stored.exists = true;
  stored.node_version = node.stat.version;
  stored.version = static_cast<std::uint64_t>(node.stat.mzxid);
  const std::string_view data = node.text;
  if (data.empty() && node.stat.numChildren > 0) return std::nullopt;
  stored.leftover = data.empty() && is_leftover(format, node.stat);
  if (stored.leftover) return stored;
  if (format == RegisterFormat::barrier) {
    if (looks_like_a_number(data) || node.stat.numChildren > 0) return std::nullopt;
    stored.has_number = true;
    stored.number = 1;
    return stored;
  }
  if (format == RegisterFormat::latch) {
    if (!read_latch(data, stored)) return std::nullopt;
    stored.has_number = true;
    return stored;
  }
  if (data.empty()) return stored;
  const bool good = data.size() == width_of(format) ||
                    (format == RegisterFormat::counter && data.size() == 4);
  if (!good) return std::nullopt;
  stored.has_number = true;
  stored.width = data.size();
  stored.number = read_number(data);
  return stored;
}

bool fits(RegisterFormat format, const StoredRegister& stored,
          std::int64_t number) noexcept {
  const std::size_t width = stored.width != 0 ? stored.width : width_of(format);
  if (format == RegisterFormat::latch || format == RegisterFormat::barrier ||
      width == 8)
    return true;
  return number >= std::numeric_limits<std::int32_t>::min() &&
         number <= std::numeric_limits<std::int32_t>::max();
}

std::vector<Op> register_ops(RegisterFormat format, const StoredRegister& stored,
                             const std::string& path,
                             std::optional<std::int64_t> number, const std::string& tag,
                             const std::string& note) {
  std::vector<Op> ops;
  if (stored.leftover) ops.push_back({Type::remove, path});
  const bool fresh = stored.leftover || !stored.exists;
  const auto put = [&](std::string data) {
    if (fresh) {
      ops.push_back({Type::create, path, std::move(data)});
    } else {
      ops.push_back(
          {Type::set, path, std::move(data), Node::persistent, stored.node_version});
    }
  };
  switch (format) {
    case RegisterFormat::barrier:
      if (number) {
        put(note);
      } else {
        ops.push_back({Type::remove, path, {}, Node::persistent, stored.node_version});
      }
      break;
    case RegisterFormat::latch: {
      const std::string& mine = fresh ? tag : stored.tag;
      const std::string child = path + "/" + mine;
      if (!fresh) ops.push_back({number ? Type::check : Type::remove, child});
      if (number) {
        put(std::string(kLatch) + std::to_string(*number) + " " + mine);
        if (fresh) ops.push_back({Type::create, child});
      } else {
        ops.push_back({Type::remove, path, {}, Node::persistent, stored.node_version});
      }
      break;
    }
    case RegisterFormat::counter:
    case RegisterFormat::shared_count: {
      const std::size_t width = stored.width != 0 ? stored.width : width_of(format);
      put(number ? write_number(*number, width) : std::string());
      break;
    }
  }
  return ops;
}

}  // namespace holdfast::zookeeper
