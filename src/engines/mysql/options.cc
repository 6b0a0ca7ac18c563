#include "engines/mysql/options.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <string_view>
#include <utility>

#include "base/password.h"

namespace holdfast::mysql {
namespace {

constexpr std::uint16_t kPort = 3306;

Failure bad(const std::string& what) { return {Errc::bad_url, "bad URL: " + what}; }

struct Draft {
  Options options;
  std::optional<Tls> tls;
  std::string password_file;
};

template <class Choice>
struct Word {
  std::string_view word;
  Choice choice;
};
constexpr Word<Way> kModes[] = {
    {"hybrid", Way::hybrid}, {"rows", Way::rows}, {"getlock", Way::getlock}};
constexpr Word<Tls> kTls[] = {
    {"verify", Tls::verify}, {"encrypt", Tls::encrypt}, {"off", Tls::off}};

template <class Choice, std::size_t kWords, class Out>
Result<void> choose(const Word<Choice> (&words)[kWords], const std::string& text,
                    Out& out) {
  std::string all;
  for (const auto& each : words) {
    if (each.word == text) {
      out = each.choice;
      return {};
    }
    if (!all.empty()) all += ", ";
    all += each.word;
  }
  return Failure(Errc::bad_url, "one of " + all);
}

Result<void> keep(const std::string& text, std::string& out) {
  if (text.empty() || text.find('\0') != std::string::npos) {
    return Failure(Errc::bad_url, "a path");
  }
  out = text;
  return {};
}

// What an option does. A failure's context says what its value must be.
struct Row {
  std::string_view key;
  Result<void> (*set)(Draft& to, const std::string& value);
};
using Text = const std::string&;

constexpr Row kRows[] = {
    {"ca", [](Draft& d, Text v) { return keep(v, d.options.ca_file); }},
    {"cert", [](Draft& d, Text v) { return keep(v, d.options.cert_file); }},
    {"key", [](Draft& d, Text v) { return keep(v, d.options.key_file); }},
    {"mode", [](Draft& d, Text v) { return choose(kModes, v, d.options.mode); }},
    {"password_file", [](Draft& d, Text v) { return keep(v, d.password_file); }},
    {"socket", [](Draft& d, Text v) { return keep(v, d.options.socket); }},
    {"tls", [](Draft& d, Text v) { return choose(kTls, v, d.tls); }},
};

Failure unknown(const std::string& key) {
  std::string known;
  for (const Row& row : kRows) {
    known += known.empty() ? "" : ", ";
    known += row.key;
  }
  return bad("mysql has no option \"" + key + "\"; it has " + known);
}

Result<void> read_query(const base::Uri& uri, Draft& draft) {
  for (const auto& [key, value] : uri.query) {
    const auto row =
        std::find_if(std::begin(kRows), std::end(kRows),
                     [&name = key](const Row& each) { return each.key == name; });
    if (row == std::end(kRows)) return unknown(key);
    if (const auto done = row->set(draft, value); !done) {
      return bad("?" + key + "= must be " + done.error().context);
    }
  }
  return {};
}

// By its address, not by how it begins: 127.example.org is a name, of any host.
bool is_loopback(const std::string& host) {
  if (host == "localhost") return true;
  in_addr v4{};
  if (inet_pton(AF_INET, host.c_str(), &v4) == 1) {
    return ntohl(v4.s_addr) >> IN_CLASSA_NSHIFT == IN_LOOPBACKNET;
  }
  in6_addr v6{};
  return inet_pton(AF_INET6, host.c_str(), &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}

Result<void> check_readable(const std::string& file) {
  if (file.empty() || std::ifstream(file)) return {};
  return Failure(Errc::denied, file + " cannot be read");
}

Result<void> settle_tls(const Draft& draft, Options& options) {
  const bool near = !options.socket.empty() ||
                    std::ranges::all_of(options.hosts, is_loopback, &base::Host::name);
  options.tls = draft.tls.value_or(near ? Tls::off : Tls::verify);
  const bool files = !options.ca_file.empty() || !options.cert_file.empty() ||
                     !options.key_file.empty();
  if (files && options.tls == Tls::off) {
    if (draft.tls) return bad("?ca=, ?cert= and ?key= belong to TLS, which is off");
    options.tls = Tls::verify;
  }
  if (options.cert_file.empty() != options.key_file.empty()) {
    return bad("?cert= and ?key= come together");
  }
  for (const auto* each : {&options.ca_file, &options.cert_file, &options.key_file}) {
    if (auto readable = check_readable(*each); !readable) return readable;
  }
  return {};
}

// The path names the database alone.
Result<std::string> read_database(const std::string& path) {
  std::string name = path.empty() ? path : path.substr(1);
  while (name.ends_with('/')) name.pop_back();
  if (name.empty()) return bad("a database is missing, as in mysql://host/database");
  if (name.find('/') != std::string::npos || name.find('\0') != std::string::npos) {
    return bad("after the host comes one database, as in mysql://host/database");
  }
  return name;
}

}  // namespace

std::string Options::spelt() const {
  if (!socket.empty()) return socket;
  std::string text;
  for (const base::Host& host : hosts) {
    if (!text.empty()) text += ',';
    const bool v6 = host.name.find(':') != std::string::npos;
    text += (v6 ? "[" + host.name + "]" : host.name) + ":" + std::to_string(host.port);
  }
  return text;
}

Result<Options> read_options(const base::Uri& uri) {
  Draft draft;
  Options& options = draft.options;
  if (auto done = read_query(uri, draft); !done) return std::move(done).error();
  options.hosts = uri.hosts;
  if (!options.socket.empty() && !options.hosts.empty()) {
    return bad("?socket= stands instead of a host, as in mysql://user@/database");
  }
  if (options.socket.empty() && options.hosts.empty()) {
    options.hosts.push_back({"127.0.0.1", kPort});
  }
  for (base::Host& host : options.hosts) {
    if (host.port == 0) host.port = kPort;
  }
  auto database = read_database(uri.path);
  if (!database) return std::move(database).error();
  options.database = *std::move(database);
  if (auto done = settle_tls(draft, options); !done) return std::move(done).error();
  auto password = base::read_password(uri.password, draft.password_file);
  if (!password) return std::move(password).error();
  options.user = uri.user;
  options.password = *std::move(password);
  if (options.user.empty() && !uri.password.empty()) {
    return bad("a password needs a user before it, as in user:password@host");
  }
  return options;
}

}  // namespace holdfast::mysql
