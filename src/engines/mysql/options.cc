// SPDX-License-Identifier: Apache-2.0

#include "engines/mysql/options.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <string_view>
#include <utility>

#include "base/common_failures.h"
#include "base/engine_options.h"
#include "engines/mysql/engine.h"

namespace holdfast::mysql {
namespace {

constexpr std::uint16_t kPort = 3306;

using base::choose;
using base::read_text;
using base::Text;
using base::Word;

struct Draft : Options {
  std::optional<Tls> wanted_tls;
  std::string password_file;
};

constexpr Word<LockMethod> kModes[] = {{"hybrid", LockMethod::hybrid},
                                       {"rows", LockMethod::rows},
                                       {"getlock", LockMethod::getlock}};
constexpr Word<Tls> kTls[] = {
    {"verify", Tls::verify}, {"encrypt", Tls::encrypt}, {"off", Tls::off}};

constexpr base::Option<Draft> kOptions[] = {
    {"ca", [](Draft& d, Text v) { return read_text(v, d.ca_file); }},
    {"cert", [](Draft& d, Text v) { return read_text(v, d.cert_file); }},
    {"key", [](Draft& d, Text v) { return read_text(v, d.key_file); }},
    {"mode", [](Draft& d, Text v) { return choose(kModes, v, d.mode); }},
    {"password_file", [](Draft& d, Text v) { return read_text(v, d.password_file); }},
    {"socket", [](Draft& d, Text v) { return read_text(v, d.socket); }},
    {"tls", [](Draft& d, Text v) { return choose(kTls, v, d.wanted_tls); }},
};

// Decides by the address, not by how the name begins: 127.example.org may be any host.
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
  return base::cannot_read(base::in_quotes(file));
}

Result<void> settle_tls(const base::Uri& uri, Draft& draft) {
  const bool near = !draft.socket.empty() ||
                    std::ranges::all_of(draft.hosts, is_loopback, &base::Host::name);
  draft.tls = draft.wanted_tls.value_or(near ? Tls::off : Tls::verify);
  const bool files =
      !draft.ca_file.empty() || !draft.cert_file.empty() || !draft.key_file.empty();
  if (files && draft.tls == Tls::off) {
    if (draft.wanted_tls) {
      return uri.bad("tls", uri.spell("ca") + ", " + uri.spell("cert") + " and " +
                                uri.spell("key") + " belong to TLS, which is off");
    }
    draft.tls = Tls::verify;
  }
  auto pair = base::check_pair(uri, draft.cert_file, draft.key_file);
  if (!pair) return pair;
  for (const auto* each : {&draft.ca_file, &draft.cert_file, &draft.key_file}) {
    if (auto readable = check_readable(*each); !readable) return readable;
  }
  return {};
}

// The path names the database and nothing else.
Result<std::string> read_database(const base::Uri& uri) {
  const std::string& path = uri.path;
  std::string name = path.empty() ? path : path.substr(1);
  while (name.ends_with('/')) name.pop_back();
  if (name.empty()) {
    return uri.bad("path", uri.origin.is_url()
                               ? "a database is missing, as in mysql://host/database"
                               : "a database is missing, as in path = /database");
  }
  if (name.find('/') != std::string::npos || name.find('\0') != std::string::npos) {
    return uri.bad("path",
                   "after the host comes one database, as in mysql://host/database");
  }
  return name;
}

}  // namespace

std::string Options::spelt() const {
  return socket.empty() ? base::spell(hosts) : socket;
}

std::vector<std::string_view> option_names() { return base::names_of(kOptions); }

Result<Options> read_options(const base::Uri& uri) {
  Draft draft;
  auto done = base::read_options({"MySQL"}, kOptions, uri, draft);
  if (!done) return std::move(done).error();
  if (!draft.socket.empty() && !uri.hosts.empty()) {
    return uri.bad("socket", uri.spell("socket") +
                                 " stands instead of a host, as in "
                                 "mysql://user@/database");
  }
  if (draft.socket.empty()) draft.hosts = base::hosts_of(uri, kPort);
  auto database = read_database(uri);
  if (!database) return std::move(database).error();
  draft.database = *std::move(database);
  done = settle_tls(uri, draft);
  if (!done) return std::move(done).error();
  done = base::read_login(uri, draft.password_file, draft.user, draft.password);
  if (!done) return std::move(done).error();
  return static_cast<Options>(std::move(draft));
}

}  // namespace holdfast::mysql
