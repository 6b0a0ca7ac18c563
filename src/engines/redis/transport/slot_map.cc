// SPDX-License-Identifier: Apache-2.0

#include "engines/redis/transport/slot_map.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/parse_whole.h"
#include "engines/redis/errors.h"

namespace holdfast::redis {
namespace {

// Redis says "?" where it should give a host name and knows none.
base::Host named_host(std::string_view name, std::uint16_t port,
                      const base::Host& asked) {
  const bool known = !name.empty() && name != "?";
  return {known ? std::string(name) : asked.name, port};
}

std::string_view cut_word(std::string_view& text) noexcept {
  const auto blank = std::min(text.find(' '), text.size());
  const auto word = text.substr(0, blank);
  text.remove_prefix(std::min(blank + 1, text.size()));
  return word;
}

std::string_view cut_line(std::string_view& text) noexcept {
  const auto end = std::min(text.find('\n'), text.size());
  auto line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

// Reads "127.0.0.1:7001" or "127.0.0.1:7001@17001,host.example". An IPv6 address has no
// brackets, so the last colon counts.
std::optional<base::Host> host_in(std::string_view address, const base::Host& asked) {
  address = address.substr(0, address.find('@'));
  const auto colon = address.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto port = base::parse_whole<std::uint16_t>(address.substr(colon + 1));
  if (!port || *port == 0) return std::nullopt;
  return named_host(address.substr(0, colon), *port, asked);
}

bool has_flag(std::string_view flags, std::string_view wanted) noexcept {
  while (!flags.empty()) {
    const auto flag = flags.substr(0, flags.find(','));
    if (flag == wanted) return true;
    flags.remove_prefix(std::min(flag.size() + 1, flags.size()));
  }
  return false;
}

Failure not_a_cluster(const base::Host& asked) {
  return {Errc::incompatible, "Redis at " + base::spell(asked) +
                                  " does not describe its slots as a cluster does: "
                                  "check what runs there"};
}

}  // namespace

Result<std::vector<SlotRange>> read_slots(ReplyView answer, const base::Host& asked) {
  if (answer.text().find("cluster support disabled") != std::string_view::npos) {
    return Failure(Errc::unsupported, "Redis at " + base::spell(asked) +
                                          " is no Redis Cluster: the URL of a single "
                                          "server begins with redis:// or rediss://");
  }
  if (answer.is_error()) {
    return failure_of(answer,
                      {.called = "Redis at " + base::spell(asked), .fails_over = true});
  }
  if (!answer.is_array()) return not_a_cluster(asked);
  std::vector<SlotRange> ranges;
  for (std::size_t i = 0; i < answer.size(); ++i) {
    const ReplyView row = answer[i];
    const auto first = row[0].number(), last = row[1].number();
    if (row.size() < 3 || first < 0 || last < first ||
        last >= static_cast<std::int64_t>(kSlots)) {
      return not_a_cluster(asked);
    }
    SlotRange range{static_cast<Slot>(first), static_cast<Slot>(last), {}, {}, {}};
    for (std::size_t node = 2; node < row.size(); ++node) {
      const auto port = row[node][1].number();
      if (port <= 0 || port > 0xffff) return not_a_cluster(asked);
      auto found =
          named_host(row[node][0].text(), static_cast<std::uint16_t>(port), asked);
      if (node == 2) {
        range.primary = std::move(found);
        range.id = row[node][2].text();
      } else {
        range.replicas.push_back(std::move(found));
      }
    }
    ranges.push_back(std::move(range));
  }
  if (ranges.empty()) {
    return Failure(Errc::unavailable,
                   "Redis at " + base::spell(asked) +
                       " belongs to a cluster in which no server has any slots yet: "
                       "assign them, as with redis-cli --cluster create");
  }
  return ranges;
}

// A line begins with "<id> <address> <flags> <id of the primary, or -> ". A server that
// has not been met yet, or whose address is not known, cannot be counted on.
std::vector<ClusterMember> read_members(ReplyView answer, const base::Host& asked) {
  std::vector<ClusterMember> members;
  if (answer.is_error()) return members;
  for (std::string_view text = answer.text(); !text.empty();) {
    std::string_view line = cut_line(text);
    const auto id = cut_word(line);
    const auto host = host_in(cut_word(line), asked);
    const auto flags = cut_word(line);
    const auto primary = cut_word(line);
    if (!host || has_flag(flags, "handshake") || has_flag(flags, "noaddr")) continue;
    members.push_back({.id = std::string(id),
                       .host = *host,
                       .primary = std::string(primary == "-" ? "" : primary),
                       .failed = has_flag(flags, "fail")});
  }
  return members;
}

std::size_t count_replicas(const SlotRange& range,
                           const std::vector<ClusterMember>& members) noexcept {
  const auto known =
      std::ranges::count(members, std::string_view(range.id), &ClusterMember::primary);
  return std::max(range.replicas.size(),
                  range.id.empty() ? 0 : static_cast<std::size_t>(known));
}

// The reply is "MOVED 3999 127.0.0.1:6381", or the same with ASK. Without a host, the
// server is another port of the one that answered.
std::optional<Redirection> read_redirection(ReplyView reply, const base::Host& asked) {
  if (!reply.is_error()) return std::nullopt;
  std::string_view text = reply.text();
  const auto verb = cut_word(text);
  if (verb != "MOVED" && verb != "ASK") return std::nullopt;
  const auto slot = base::parse_whole<Slot>(cut_word(text));
  auto to = host_in(cut_word(text), asked);
  if (!slot || *slot >= kSlots || !to) return std::nullopt;
  const auto kind = verb == "ASK" ? Redirection::Kind::ask : Redirection::Kind::moved;
  return Redirection{kind, *slot, *std::move(to)};
}

bool is_migrating(ReplyView reply) noexcept {
  return reply.is_error() && reply.text().starts_with("TRYAGAIN ");
}

bool is_passing(ReplyView reply) noexcept {
  if (!reply.is_error()) return false;
  constexpr std::array<std::string_view, 5> kPassing{
      "TRYAGAIN ", "CLUSTERDOWN ", "LOADING ", "MASTERDOWN ", "READONLY "};
  return std::ranges::any_of(
      kPassing, [&](std::string_view each) { return reply.text().starts_with(each); });
}

}  // namespace holdfast::redis
