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

#include "engines/redis/errors.h"
#include "engines/redis/transport/script.h"
#include "holdfast/names.h"

namespace holdfast::redis {
namespace {

using engine::Address;
using engine::Entry;
using engine::Kind;

constexpr int kKeysPerPage = 1000;

// A page token is the sort of keys, followed by Redis's cursor: "b:0" for bare names,
// "o:0" for names in our own layouts.
struct Cursor {
  char sort = 'b';
  std::string position = "0";
};

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

Result<void> add_bare(Backend& backend, const std::set<std::string>& keys,
                      engine::Deadline until, engine::Page& page) {
  if (keys.empty()) return {};
  Invocation call(scripts::list);
  for (const std::string& key : keys) call.key(key);
  const auto reply = backend.run(call, until);
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
  Cursor cursor;
  if (from.size() > 2) cursor = {from[0], std::string(from.substr(2))};
  const bool bare = cursor.sort == 'b';

  std::string out;
  Command(out, 6)
      .add("SCAN")
      .add(cursor.position)
      .add("MATCH")
      .add(bare ? "" : "holdfast_*", escaped(bare ? prefix : ""), "*")
      .add("COUNT")
      .add(kKeysPerPage);
  const auto reply = backend.requests().call(out, until);
  if (!reply) return reply.error();
  if (reply->view().is_error()) return failure_of(reply->view());

  engine::Page page;
  std::set<std::string> keys;  // A scan may return a key twice.
  const ReplyView found = reply->view()[1];
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::string_view key = found[i].text();
    if (check_name(key) && !(bare && read_own(key))) keys.emplace(key);
  }
  if (bare) {
    if (auto done = add_bare(backend, keys, until, page); !done) {
      return std::move(done).error();
    }
  } else {
    for (const std::string& key : keys) {
      auto own = read_own(key);
      if (own && own->name.starts_with(prefix)) page.addresses.push_back(*own);
    }
  }
  const std::string next(reply->view()[0].text());
  if (next != "0") {
    page.next = std::string(1, cursor.sort) + ":" + next;
  } else if (bare) {
    page.next = "o:0";
  }
  return page;
}

std::vector<Entry> read_entries(ReplyView rows) {
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < rows.size(); ++i) entries.push_back(read_entry(rows[i]));
  return entries;
}

}  // namespace holdfast::redis
