#include "engines/redis/options.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include "base/durations.h"
#include "base/password.h"

namespace holdfast::redis {
namespace {

Failure bad(const std::string& what) { return {Errc::bad_url, "bad URL: " + what}; }

bool is_number(std::string_view text) noexcept {
  return !text.empty() &&
         text.find_first_not_of("0123456789") == std::string_view::npos;
}

Result<void> read_number(const std::string& text, int most, int& out) {
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, out);
  if (error == std::errc{} && rest == end && out >= 0 && out <= most) return {};
  return Failure(Errc::bad_url, "a number from 0 to " + std::to_string(most));
}

Result<void> read_span(const std::string& text, std::chrono::milliseconds& out) {
  const auto span = base::parse_duration(text);
  if (!span) return Failure(Errc::bad_url, "a duration such as 500ms or 30s");
  out = *span;
  return {};
}

template <class T>
Result<void> choose(const std::string& text, std::string_view first, T first_value,
                    std::string_view second, T second_value, T& out) {
  if (text != first && text != second) {
    return Failure(Errc::bad_url, std::string(first) + " or " + std::string(second));
  }
  out = text == first ? first_value : second_value;
  return {};
}

Result<void> read_client_name(const std::string& text, std::string& out) {
  const auto odd = [](char c) { return c <= ' ' || c > '~'; };
  if (text.empty() || text.size() > 200 || std::any_of(text.begin(), text.end(), odd)) {
    return Failure(Errc::bad_url, "a word without spaces");
  }
  out = text;
  return {};
}

Result<void> keep(const std::string& text, std::string& out) {
  if (text.empty()) return Failure(Errc::bad_url, "not empty");
  out = text;
  return {};
}

struct Draft {
  Options options;
  int db = -1;
  std::string password_file;
};

// What an option does. A failure's context says what its value must be.
struct Row {
  std::string_view key;
  bool tls;
  Result<void> (*set)(Draft& to, const std::string& value);
};
using Text = const std::string&;
constexpr int kMostDb = 1'000'000;
constexpr int kMostAcks = 1'000;
constexpr Row kRows[] = {
    {"ack", false,
     [](Draft& d, Text v) { return read_number(v, kMostAcks, d.options.acks); }},
    {"ack_time", false,
     [](Draft& d, Text v) { return read_span(v, d.options.ack_time); }},
    {"ca", true, [](Draft& d, Text v) { return keep(v, d.options.place.tls.ca_file); }},
    {"cert", true,
     [](Draft& d, Text v) { return keep(v, d.options.place.tls.cert_file); }},
    {"client_name", false,
     [](Draft& d, Text v) { return read_client_name(v, d.options.place.client_name); }},
    {"db", false, [](Draft& d, Text v) { return read_number(v, kMostDb, d.db); }},
    {"fair_wait", false,
     [](Draft& d, Text v) { return read_span(v, d.options.fair_wait); }},
    {"key", true,
     [](Draft& d, Text v) { return keep(v, d.options.place.tls.key_file); }},
    {"layout", false,
     [](Draft& d, Text v) {
       return choose(v, "redisson", LockLayout::redisson, "string", LockLayout::string,
                     d.options.layout);
     }},
    {"password_file", false, [](Draft& d, Text v) { return keep(v, d.password_file); }},
    {"semaphore", false,
     [](Draft& d, Text v) {
       return choose(v, "leased", SemaphoreLayout::leased, "plain",
                     SemaphoreLayout::plain, d.options.semaphore);
     }},
    {"server_name", true,
     [](Draft& d, Text v) { return keep(v, d.options.place.tls.server_name); }},
    {"token_ttl", false,
     [](Draft& d, Text v) { return read_span(v, d.options.token_ttl); }},
    {"verify", true,
     [](Draft& d, Text v) {
       return choose(v, "yes", true, "no", false, d.options.place.tls.verify);
     }},
};

Failure unknown(const std::string& key) {
  std::string known;
  for (const Row& row : kRows) {
    known += known.empty() ? "" : ", ";
    known += row.key;
  }
  return bad("Redis has no option \"" + key + "\"; it has " + known);
}

Result<void> read_query(const base::Uri& uri, Draft& draft) {
  for (const auto& [key, value] : uri.query) {
    const auto row =
        std::find_if(std::begin(kRows), std::end(kRows),
                     [&name = key](const Row& r) { return r.key == name; });
    if (row == std::end(kRows)) return unknown(key);
    if (row->tls && uri.scheme != "rediss") {
      return bad("?" + key + "= belongs to TLS, whose URLs start with rediss://");
    }
    if (const auto done = row->set(draft, value); !done) {
      return bad("?" + key + "= must be " + done.error().context);
    }
  }
  const TlsOptions& tls = draft.options.place.tls;
  if (tls.cert_file.empty() != tls.key_file.empty()) {
    return bad("?cert= and ?key= come together");
  }
  return {};
}

// A host with a database, or a socket.
Result<void> read_where(const base::Uri& uri, Draft& draft) {
  Place& place = draft.options.place;
  if (uri.hosts.size() > 1) {
    return bad(uri.scheme +
               ":// takes one host; sentinel and cluster forms are to come");
  }
  if (!uri.hosts.empty()) {
    place.host.name = uri.hosts.front().name;
    if (uri.hosts.front().port != 0) place.host.port = uri.hosts.front().port;
  }
  std::string path = uri.path;
  path.erase(0, 1);
  if (is_number(path)) {
    int db = 0;
    if (!read_number(path, kMostDb, db)) return bad("the database is too large");
    if (draft.db >= 0 && draft.db != db) return bad("the database is given twice");
    draft.db = db;
  } else if (!path.empty() && !uri.hosts.empty()) {
    return bad("after the host comes the number of a database, as in /0");
  } else if (!path.empty()) {
    if (uri.scheme == "rediss") return bad("TLS does not go over a unix socket");
    place.socket = uri.path;
  }
  place.db = std::max(draft.db, 0);
  return {};
}

}  // namespace

std::string Place::spelt() const {
  if (!socket.empty()) return socket;
  const bool v6 = host.name.find(':') != std::string::npos;
  return (v6 ? "[" + host.name + "]" : host.name) + ":" + std::to_string(host.port);
}

Result<Options> read_options(const base::Uri& uri) {
  Draft draft;
  Place& place = draft.options.place;
  place.tls.on = uri.scheme == "rediss";
  if (auto done = read_query(uri, draft); !done) return std::move(done).error();
  if (auto done = read_where(uri, draft); !done) return std::move(done).error();
  auto password = base::read_password(uri.password, draft.password_file);
  if (!password) return std::move(password).error();
  place.user = uri.user;
  place.password = *std::move(password);
  return draft.options;
}

}  // namespace holdfast::redis
