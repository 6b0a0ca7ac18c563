#include "engines/zookeeper/cell.h"

#include <algorithm>
#include <charconv>
#include <limits>

namespace holdfast::zookeeper {
namespace {

using What = Op::What;

constexpr std::string_view kLatch = "latch ";

std::size_t width_of(Layout layout) noexcept {
  return layout == Layout::shared_count ? 4 : 8;
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

bool read_latch(std::string_view text, Cell& cell) {
  if (!is_latch(text)) return false;
  text.remove_prefix(kLatch.size());
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, cell.number);
  if (error != std::errc{} || rest == end || *rest != ' ') return false;
  if (cell.number < 0) return false;
  cell.tag.assign(rest + 1, end);
  return !cell.tag.empty() && cell.tag.find('/') == std::string::npos;
}

// A barrier holds what Curator wrote: an address, which may well have 8 characters.
bool is_text(std::string_view data) noexcept {
  return std::all_of(data.begin(), data.end(),
                     [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
}

// A directory that nobody uses, or a number that was erased. A counter goes on with the
// latter, so that its version goes on too.
bool is_leftover(Layout layout, const Stat& stat) noexcept {
  if (stat.cversion > 0 || layout == Layout::latch) return true;
  return layout == Layout::barrier && stat.version > 0;
}

}  // namespace

bool is_latch(std::string_view data) noexcept { return data.starts_with(kLatch); }

bool looks_like_a_number(std::string_view data) noexcept {
  if (is_latch(data)) return true;
  return data.size() == 4 || (data.size() == 8 && !is_text(data));
}

std::optional<Cell> read_cell(Layout layout, const Answer& node) {
  Cell cell;
  if (!node.ok()) return cell;
  cell.node = true;
  cell.node_version = node.stat.version;
  cell.version = static_cast<std::uint64_t>(node.stat.mzxid);
  const std::string_view data = node.text;
  if (data.empty() && node.stat.numChildren > 0) return std::nullopt;
  cell.leftover = data.empty() && is_leftover(layout, node.stat);
  if (cell.leftover) return cell;
  if (layout == Layout::barrier) {
    if (looks_like_a_number(data) || node.stat.numChildren > 0) return std::nullopt;
    cell.there = true;
    cell.number = 1;
    return cell;
  }
  if (layout == Layout::latch) {
    if (!read_latch(data, cell)) return std::nullopt;
    cell.there = true;
    return cell;
  }
  if (data.empty()) return cell;
  const bool good = data.size() == width_of(layout) ||
                    (layout == Layout::counter && data.size() == 4);
  if (!good) return std::nullopt;
  cell.there = true;
  cell.width = data.size();
  cell.number = read_number(data);
  return cell;
}

bool fits(Layout layout, const Cell& cell, std::int64_t number) noexcept {
  const std::size_t width = cell.width != 0 ? cell.width : width_of(layout);
  if (layout == Layout::latch || layout == Layout::barrier || width == 8) return true;
  return number >= std::numeric_limits<std::int32_t>::min() &&
         number <= std::numeric_limits<std::int32_t>::max();
}

std::vector<Op> write_cell(Layout layout, const Cell& cell, const std::string& path,
                           std::optional<std::int64_t> number, const std::string& tag,
                           const std::string& note) {
  std::vector<Op> ops;
  if (cell.leftover) ops.push_back({What::remove, path});
  const bool fresh = cell.leftover || !cell.node;
  const auto put = [&](std::string data) {
    if (fresh) {
      ops.push_back({What::create, path, std::move(data)});
    } else {
      ops.push_back(
          {What::set, path, std::move(data), Node::persistent, cell.node_version});
    }
  };
  switch (layout) {
    case Layout::barrier:
      if (number) {
        put(note);
      } else {
        ops.push_back({What::remove, path, {}, Node::persistent, cell.node_version});
      }
      break;
    case Layout::latch: {
      const std::string& mine = fresh ? tag : cell.tag;
      const std::string child = path + "/" + mine;
      if (!fresh) ops.push_back({number ? What::check : What::remove, child});
      if (number) {
        put(std::string(kLatch) + std::to_string(*number) + " " + mine);
        if (fresh) ops.push_back({What::create, child});
      } else {
        ops.push_back({What::remove, path, {}, Node::persistent, cell.node_version});
      }
      break;
    }
    case Layout::counter:
    case Layout::shared_count: {
      const std::size_t width = cell.width != 0 ? cell.width : width_of(layout);
      put(number ? write_number(*number, width) : std::string());
      break;
    }
  }
  return ops;
}

}  // namespace holdfast::zookeeper
