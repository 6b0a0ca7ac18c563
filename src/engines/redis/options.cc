// SPDX-License-Identifier: Apache-2.0

#include "engines/redis/options.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/engine_options.h"
#include "base/password.h"
#include "engines/redis/engine.h"

namespace holdfast::redis {
namespace {

using base::choose;
using base::read_number;
using base::read_span;
using base::read_text;
using base::Text;

constexpr base::Word<LockLayout> kLayouts[] = {{"redisson", LockLayout::redisson},
                                               {"string", LockLayout::string}};
constexpr base::Word<SemaphoreLayout> kSemaphores[] = {
    {"leased", SemaphoreLayout::leased}, {"plain", SemaphoreLayout::plain}};

bool is_number(std::string_view text) noexcept {
  return !text.empty() &&
         text.find_first_not_of("0123456789") == std::string_view::npos;
}

Result<void> read_client_name(Text text, std::string& out) {
  const auto odd = [](char c) { return c <= ' ' || c > '~'; };
  if (text.empty() || text.size() > 200 || std::any_of(text.begin(), text.end(), odd)) {
    return Failure(Errc::bad_url, "a word without spaces");
  }
  out = text;
  return {};
}

constexpr std::uint16_t kDefaultPort = 6379;

Result<base::Host> read_address(std::string_view text) {
  auto host = base::parse_host(text);
  if (host && host->port == 0) host->port = kDefaultPort;
  return host;
}

Result<void> read_nat(Text text, std::vector<AddressPair>& out) {
  for (std::string_view rest = text; !rest.empty();) {
    const auto pair = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(pair.size() + 1, rest.size()));
    const auto middle = std::min(pair.find('='), pair.size());
    auto announced = read_address(pair.substr(0, middle));
    auto reached = read_address(pair.substr(std::min(middle + 1, pair.size())));
    if (!announced || !reached) {
      return Failure(Errc::bad_url,
                     "pairs of addresses, such as "
                     "10.0.0.1:6379=127.0.0.1:7001,10.0.0.2:6379=127.0.0.1:7002");
    }
    out.push_back({*std::move(announced), *std::move(reached)});
  }
  return {};
}

constexpr int kMostAcks = 1'000;

Result<void> read_acks(Text text, Acks& out) {
  out.majority = text == "majority";
  if (out.majority || read_number(text, kMostAcks, out.number)) return {};
  return Failure(Errc::bad_url, "a number of replicas, or majority");
}

struct Draft : Options {
  int db = -1;
  std::string password_file;
  std::string sentinel_password_file;
};

constexpr std::string_view kSentinelForm = "+sentinel";
constexpr std::string_view kClusterForm = "+cluster";
constexpr std::uint16_t kSentinelPort = 26379;

constexpr int kMostDb = 1'000'000;
constexpr base::Option<Draft> kOptions[] = {
    {"ack", [](Draft& d, Text v) { return read_acks(v, d.acks); }},
    {"ack_time", [](Draft& d, Text v) { return read_span(v, d.ack_time); }},
    {"ca", [](Draft& d, Text v) { return read_text(v, d.endpoint.tls.ca_file); },
     base::kTls},
    {"cert", [](Draft& d, Text v) { return read_text(v, d.endpoint.tls.cert_file); },
     base::kTls},
    {"client_name",
     [](Draft& d, Text v) { return read_client_name(v, d.endpoint.client_name); }},
    {"db", [](Draft& d, Text v) { return read_number(v, kMostDb, d.db); }},
    {"fair_wait", [](Draft& d, Text v) { return read_span(v, d.fair_wait); }},
    {"key", [](Draft& d, Text v) { return read_text(v, d.endpoint.tls.key_file); },
     base::kTls},
    {"layout", [](Draft& d, Text v) { return choose(kLayouts, v, d.layout); }},
    {"nat", [](Draft& d, Text v) { return read_nat(v, d.cluster.nat); }},
    {"password_file", [](Draft& d, Text v) { return read_text(v, d.password_file); }},
    {"semaphore", [](Draft& d, Text v) { return choose(kSemaphores, v, d.semaphore); }},
    {"sentinel_password_file",
     [](Draft& d, Text v) { return read_text(v, d.sentinel_password_file); }},
    {"sentinel_user", [](Draft& d, Text v) { return read_text(v, d.sentinels.user); }},
    {"server_name",
     [](Draft& d, Text v) { return read_text(v, d.endpoint.tls.server_name); },
     base::kTls},
    {"token_ttl", [](Draft& d, Text v) { return read_span(v, d.token_ttl); }},
    {"verify",
     [](Draft& d, Text v) { return choose(base::kNoYes, v, d.endpoint.tls.verify); },
     base::kTls},
};

// Reads the sentinels and the name of the primary.
Result<void> read_sentinels(const base::Uri& uri, Draft& draft) {
  if (uri.hosts.empty()) {
    return uri.bad("address", "the addresses of the sentinels are missing, as in " +
                                  draft.endpoint.scheme(false) + "host,host/name");
  }
  draft.sentinels.hosts = base::hosts_of(uri, kSentinelPort);
  draft.sentinels.name = uri.path.empty() ? "" : uri.path.substr(1);
  const std::string& name = draft.sentinels.name;
  if (name.empty() || name.find_first_of("/ ") != std::string::npos) {
    return uri.bad("path",
                   "after the sentinels comes the name of the primary, as in "
                   "/mymaster; ?db= is the database");
  }
  draft.sentinels.nat = std::move(draft.cluster.nat);
  draft.endpoint.host = {name, 0};
  draft.endpoint.db = std::max(draft.db, 0);
  auto password = base::read_password({}, draft.sentinel_password_file,
                                      "HOLDFAST_SENTINEL_PASSWORD");
  if (!password) return std::move(password).error();
  draft.sentinels.password = *std::move(password);
  return {};
}

Result<void> check_form(const base::Uri& uri, const Draft& draft) {
  if (draft.endpoint.sentinels) return {};
  for (const auto& [option, value] : uri.query) {
    if (option.starts_with("sentinel_")) {
      return uri.bad(
          option, uri.spell(option) + " is for URLs that start with redis+sentinel://");
    }
  }
  return {};
}

// Reads either a host with a database, or the path of a socket.
Result<void> read_where(const base::Uri& uri, Draft& draft) {
  Endpoint& endpoint = draft.endpoint;
  if (uri.hosts.size() > 1) {
    return uri.bad("address",
                   "redis:// takes one host; the servers of a Redis Cluster are "
                   "redis+cluster://host,host, sentinels are "
                   "redis+sentinel://host,host/name, and independent servers are a "
                   "quorum");
  }
  if (!draft.cluster.nat.empty()) {
    return uri.bad(
        "nat",
        uri.spell("nat") + " has a meaning in a Redis Cluster and with sentinels only");
  }
  if (!uri.hosts.empty()) {
    endpoint.host.name = uri.hosts.front().name;
    if (uri.hosts.front().port != 0) endpoint.host.port = uri.hosts.front().port;
  }
  std::string path = uri.path;
  path.erase(0, 1);
  if (is_number(path)) {
    int db = 0;
    if (!read_number(path, kMostDb, db))
      return uri.bad("path", "the database is too large");
    if (draft.db >= 0 && draft.db != db) {
      return uri.bad("db", "the database is given twice");
    }
    draft.db = db;
  } else if (!path.empty() && !uri.hosts.empty()) {
    return uri.bad("path", "after the host comes the number of a database, as in /0");
  } else if (!path.empty()) {
    if (uri.scheme == "rediss") {
      return uri.bad("path", "TLS does not go over a unix socket");
    }
    endpoint.socket = uri.path;
  }
  endpoint.db = std::max(draft.db, 0);
  return {};
}

// In a file, `type = redis` with several addresses is a cluster, too.
bool names_cluster(const base::Uri& uri) noexcept {
  if (uri.scheme.find('+') != std::string::npos)
    return uri.scheme.ends_with(kClusterForm);
  return !uri.origin.is_url() && uri.hosts.size() > 1;
}

Result<void> read_cluster(const base::Uri& uri, Draft& draft) {
  if (!uri.path.empty() && uri.path != "/" && uri.path != "/0") {
    return uri.bad("path", "a Redis Cluster has database 0 alone, and no socket");
  }
  if (draft.db > 0) return uri.bad("db", "a Redis Cluster has database 0 alone");
  draft.endpoint.in_cluster = true;
  draft.cluster.servers = base::hosts_of(uri, kDefaultPort);
  return {};
}

Result<void> read_servers(const base::Uri& uri, Draft& draft) {
  if (draft.endpoint.sentinels) return read_sentinels(uri, draft);
  return names_cluster(uri) ? read_cluster(uri, draft) : read_where(uri, draft);
}

}  // namespace

base::Host reached_by(const std::vector<AddressPair>& nat,
                      const base::Host& announced) {
  const auto known = std::ranges::find(nat, announced, &AddressPair::announced);
  return known == nat.end() ? announced : known->reached;
}

std::string Endpoint::spelt() const {
  if (!socket.empty()) return socket;
  return base::spell(host);
}

std::string Endpoint::called() const {
  return (is_sentinel ? "the sentinel at " : "Redis at ") + spelt();
}

ServerName Endpoint::name() const {
  return {called(), sentinels || in_cluster, is_sentinel};
}

std::string ClusterOptions::called() const {
  return "the Redis Cluster at " + base::spell(servers);
}

std::string Endpoint::scheme(bool with_tls) const {
  std::string text = with_tls ? "rediss" : "redis";
  if (sentinels) text += kSentinelForm;
  if (in_cluster) text += kClusterForm;
  return text + "://";
}

std::vector<std::string_view> option_names() { return base::names_of(kOptions); }

Result<Options> read_options(const base::Uri& uri) {
  Draft draft;
  Endpoint& endpoint = draft.endpoint;
  endpoint.tls.on = uri.scheme.starts_with("rediss");
  endpoint.sentinels = uri.scheme.ends_with(kSentinelForm);
  const std::string tls_scheme =
      endpoint.tls.on ? uri.scheme : "rediss" + uri.scheme.substr(5);
  auto done = base::read_options({"Redis", tls_scheme}, kOptions, uri, draft);
  if (done) done = base::check_pair(uri, endpoint.tls.cert_file, endpoint.tls.key_file);
  if (done) done = check_form(uri, draft);
  if (done) done = read_servers(uri, draft);
  if (!done) return std::move(done).error();
  auto password = base::read_password(uri.password, draft.password_file);
  if (!password) return std::move(password).error();
  endpoint.user = uri.user;
  endpoint.password = *std::move(password);
  return static_cast<Options>(std::move(draft));
}

}  // namespace holdfast::redis
