#include "engines/etcd/options.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/password.h"

namespace holdfast::etcd {
namespace {

constexpr std::uint16_t kPort = 2379;

Failure bad(const std::string& what) { return {Errc::bad_url, "bad URL: " + what}; }

struct Draft {
  Options options;
  std::string password_file;
};

Result<void> choose(const std::string& text, std::string_view no, std::string_view yes,
                    bool& out) {
  if (text != no && text != yes) {
    return Failure(Errc::bad_url, std::string(no) + " or " + std::string(yes));
  }
  out = text == yes;
  return {};
}

Result<void> keep(const std::string& text, std::string& out) {
  if (text.empty()) return Failure(Errc::bad_url, "a word or a path");
  out = text;
  return {};
}

// What an option does. A failure's context says what its value must be.
struct Row {
  std::string_view key;
  bool tls;
  Result<void> (*set)(Draft& to, const std::string& value);
};
using Text = const std::string&;

constexpr Row kRows[] = {
    {"ca", true, [](Draft& d, Text v) { return keep(v, d.options.tls.ca_file); }},
    {"cert", true, [](Draft& d, Text v) { return keep(v, d.options.tls.cert_file); }},
    {"hand_over", false,
     [](Draft& d, Text v) { return choose(v, "no", "yes", d.options.hand_over); }},
    {"key", true, [](Draft& d, Text v) { return keep(v, d.options.tls.key_file); }},
    {"names", false,
     [](Draft& d, Text v) { return choose(v, "encoded", "raw", d.options.raw_names); }},
    {"password_file", false, [](Draft& d, Text v) { return keep(v, d.password_file); }},
    {"server_name", true,
     [](Draft& d, Text v) { return keep(v, d.options.tls.server_name); }},
};

Failure unknown(const std::string& key) {
  std::string known;
  for (const Row& row : kRows) {
    known += known.empty() ? "" : ", ";
    known += row.key;
  }
  return bad("etcd has no option \"" + key + "\"; it has " + known);
}

Result<void> read_query(const base::Uri& uri, Draft& draft) {
  for (const auto& [key, value] : uri.query) {
    const auto row =
        std::find_if(std::begin(kRows), std::end(kRows),
                     [&name = key](const Row& each) { return each.key == name; });
    if (row == std::end(kRows)) return unknown(key);
    if (row->tls && uri.scheme != "etcds") {
      return bad("?" + key + "= belongs to TLS, whose URLs start with etcds://");
    }
    if (const auto done = row->set(draft, value); !done) {
      return bad("?" + key + "= must be " + done.error().context);
    }
  }
  const TlsOptions& tls = draft.options.tls;
  if (tls.cert_file.empty() != tls.key_file.empty()) {
    return bad("?cert= and ?key= come together");
  }
  return {};
}

}  // namespace

std::string spelt(const base::Host& host) {
  const bool v6 = host.name.find(':') != std::string::npos;
  return (v6 ? "[" + host.name + "]" : host.name) + ":" + std::to_string(host.port);
}

std::string Options::spelt() const {
  std::string text;
  for (const base::Host& host : hosts) {
    if (!text.empty()) text += ',';
    text += etcd::spelt(host);
  }
  return text;
}

Result<Options> read_options(const base::Uri& uri) {
  Draft draft;
  Options& options = draft.options;
  options.tls.on = uri.scheme == "etcds";
  if (auto done = read_query(uri, draft); !done) return std::move(done).error();
  options.hosts = uri.hosts;
  if (options.hosts.empty()) options.hosts.push_back({"127.0.0.1", kPort});
  for (base::Host& host : options.hosts) {
    if (host.port == 0) host.port = kPort;
  }
  options.root = uri.path;
  while (options.root.ends_with('/')) options.root.pop_back();
  if (!options.root.empty()) options.root += '/';
  if (options.root.find('\0') != std::string::npos) {
    return bad("after the hosts comes a prefix such as /app/locks");
  }
  auto password = base::read_password(uri.password, draft.password_file);
  if (!password) return std::move(password).error();
  options.user = uri.user;
  options.password = *std::move(password);
  if (options.user.empty() && !uri.password.empty()) {
    return bad("a password needs a user before it, as in user:password@host");
  }
  return options;
}

}  // namespace holdfast::etcd
