// SPDX-License-Identifier: Apache-2.0

#include "engines/redis/listing.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engines/redis/transport/script.h"
#include "holdfast/names.h"

namespace holdfast::redis {
namespace {

using engine::Address;
using engine::Entry;
using engine::Kind;

constexpr int kKeysPerPage = 1000;

// A page token is the sort of keys, the number of the server, which is always 0 without
// a cluster, and Redis's cursor: "b:0:0" begins with bare names, "o:0:0" with names in
// our own layouts.
struct Cursor {
  char sort = 'b';
  std::size_t server = 0;
  std::string position = "0";
};

Cursor read_cursor(std::string_view token) {
  if (token.size() < 2) return {};
  Cursor cursor{.sort = token[0]};
  const char* const end = token.data() + token.size();
  const auto rest = std::from_chars(token.data() + 2, end, cursor.server).ptr;
  if (rest < end) cursor.position.assign(rest + 1, end);
  return cursor;
}

std::string spell(const Cursor& cursor) {
  return std::string(1, cursor.sort) + ":" + std::to_string(cursor.server) + ":" +
         cursor.position;
}

// Returns where the next page begins: on the same server, on the next one, or with the
// other sort of keys. Nothing means that this page was the last one.
std::string next_page(Cursor cursor, std::string_view position, std::size_t servers) {
  cursor.position = position;
  if (position != "0") return spell(cursor);
  if (++cursor.server < servers) return spell(cursor);
  return cursor.sort == 'b' ? spell({.sort = 'o'}) : std::string();
}

struct Own {
  std::string_view word;
  Kind kind;
};
constexpr std::array<Own, 4> kOwn{{{"holdfast_election", Kind::election},
                                   {"holdfast_double_barrier", Kind::double_barrier},
                                   {"holdfast_barrier", Kind::barrier},
                                   {"holdfast_shared_count", Kind::shared_count}}};

std::string escaped(std::string_view text) {
  std::string pattern;
  for (const char c : text) {
    if (std::string_view("*?[]\\^").find(c) != std::string_view::npos) pattern += '\\';
    pattern += c;
  }
  return pattern;
}

// Reads "holdfast_election:{name}" or, where the name has braces of its own,
// "holdfast_election::name".
std::optional<Address> read_own(std::string_view key) {
  for (const Own& own : kOwn) {
    if (!key.starts_with(own.word)) continue;
    std::string_view name = key.substr(own.word.size());
    if (name.starts_with("::")) {
      name.remove_prefix(2);
    } else if (name.starts_with(":{") && name.ends_with("}")) {
      name = name.substr(2, name.size() - 3);
    } else {
      continue;
    }
    return Address{own.kind, std::string(name)};
  }
  return std::nullopt;
}

std::optional<Kind> read_kind(std::string_view shape) {
  if (shape == "m") return Kind::mutex;
  if (shape == "s") return Kind::shared_mutex;
  if (shape == "p") return Kind::semaphore;
  return std::nullopt;
}

Result<void> add_bare(const Backend& backend, const Servers::Primary& server,
                      const std::set<std::string>& keys, engine::Deadline until,
                      engine::Page& page) {
  if (keys.empty()) return {};
  Invocation call(scripts::list);
  for (const std::string& key : keys) call.arg(key);
  std::string out;
  call.write(out);
  const auto send = [&] { return server.requests->call(out, until); };
  const auto reply = backend.checked(
      server.slot, Backend::with_text_if_unknown(send(), call, out, send));
  if (!reply) return reply.error();
  std::size_t i = 0;
  for (const std::string& key : keys) {
    if (const auto kind = read_kind(reply->view()[i++].text())) {
      page.addresses.push_back({*kind, key});
    }
  }
  return {};
}

std::string_view cut(std::string_view& text) {
  const auto bar = std::min(text.find('|'), text.size());
  const auto head = text.substr(0, bar);
  text.remove_prefix(std::min(bar + 1, text.size()));
  return head;
}

template <class T>
T number(std::string_view text) noexcept {
  T value{};
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// A record is spelt state|token|tokens|since|permits|mode|payload. A waiting one has a
// lease in place of the token.
void read_record(std::string_view record, Entry& entry) {
  // A peer's claim has no record: its layout says nothing more.
  if (record.empty()) return;
  const bool granted = cut(record) == "g";
  const auto token = number<std::uint64_t>(cut(record));
  if (granted) entry.token = {token};
  (void)cut(record);
  entry.since = std::chrono::system_clock::time_point(
      std::chrono::milliseconds(number<std::int64_t>(cut(record))));
  entry.permits = number<std::uint32_t>(cut(record));
  entry.mode = cut(record) == "r" ? engine::Mode::shared : engine::Mode::exclusive;
  entry.payload = record;
}

// A row is {owner, granted, record, pttl[, mode]}.
Entry read_entry(ReplyView row) {
  Entry entry;
  entry.owner = row[0].text();
  entry.granted = row[1].number() == 1;
  read_record(row[2].text(), entry);
  if (row[4].text() == "r") entry.mode = engine::Mode::shared;
  if (entry.granted && row[3].number() >= 0) {
    entry.left = std::chrono::milliseconds(row[3].number());
  }
  return entry;
}

}  // namespace

Result<engine::Page> list_names(Backend& backend, std::string_view prefix,
                                std::string_view from, engine::Deadline until) {
  const Cursor cursor = read_cursor(from);
  const bool bare = cursor.sort == 'b';
  const auto servers = backend.servers().primaries();
  if (cursor.server >= servers.size()) return engine::Page{};
  const Servers::Primary& server = servers[cursor.server];

  std::string out;
  Command(out, 6)
      .add("SCAN")
      .add(cursor.position)
      .add("MATCH")
      .add(bare ? "" : "holdfast_*", escaped(bare ? prefix : ""), "*")
      .add("COUNT")
      .add(kKeysPerPage);
  const auto reply = backend.checked(server.slot, server.requests->call(out, until));
  if (!reply) return reply.error();

  engine::Page page;
  std::set<std::string> keys;  // A scan may return a key twice.
  const ReplyView found = reply->view()[1];
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::string_view key = found[i].text();
    if (check_name(key) && !(bare && read_own(key))) keys.emplace(key);
  }
  if (bare) {
    if (auto done = add_bare(backend, server, keys, until, page); !done) {
      return std::move(done).error();
    }
  } else {
    for (const std::string& key : keys) {
      auto own = read_own(key);
      if (own && own->name.starts_with(prefix)) page.addresses.push_back(*own);
    }
  }
  page.next = next_page(cursor, reply->view()[0].text(), servers.size());
  return page;
}

std::vector<Entry> read_entries(ReplyView rows) {
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < rows.size(); ++i) entries.push_back(read_entry(rows[i]));
  return entries;
}

}  // namespace holdfast::redis
