#include "engines/zookeeper/options.h"

#include <utility>

#include "base/durations.h"
#include "base/password.h"
#include "engines/zookeeper/names.h"

namespace holdfast::zookeeper {
namespace {

constexpr std::uint16_t kPort = 2181;

Failure bad(const std::string& what) { return {Errc::bad_url, "bad URL: " + what}; }

Result<void> choose(const std::string& key, const std::string& value,
                    std::string_view no, std::string_view yes, bool& out) {
  if (value != no && value != yes) {
    return bad("?" + key + "= must be " + std::string(no) + " or " + std::string(yes));
  }
  out = value == yes;
  return {};
}

Result<void> read_tick(const std::string& value,
                       std::optional<std::chrono::milliseconds>& out) {
  const auto span = base::parse_duration(value);
  if (!span || span->count() == 0) {
    return bad("?tick_time= must be a duration such as 2s");
  }
  out = *span;
  return {};
}

Result<void> read_query(const base::Uri& uri, Options& options,
                        std::string& password_file) {
  for (const auto& [key, value] : uri.query) {
    Result<void> done;
    if (key == "names") {
      done = choose(key, value, "encoded", "raw", options.raw_names);
    } else if (key == "hand_over") {
      done = choose(key, value, "no", "yes", options.hand_over);
    } else if (key == "password_file") {
      if (value.empty()) return bad("?password_file= must not be empty");
      password_file = value;
    } else if (key == "tick_time") {
      done = read_tick(value, options.tick_time);
    } else {
      return bad("ZooKeeper has no option \"" + key +
                 "\"; it has hand_over, names, password_file, tick_time");
    }
    if (!done) return done;
  }
  return {};
}

Result<std::string> read_root(std::string path) {
  while (path.ends_with('/')) path.pop_back();
  if (!path.empty() && !is_path(path)) {
    return bad("after the hosts comes a path such as /app/locks");
  }
  return path;
}

}  // namespace

std::string Options::spelt() const {
  std::string text;
  for (const base::Host& host : hosts) {
    if (!text.empty()) text += ',';
    const bool v6 = host.name.find(':') != std::string::npos;
    text += (v6 ? "[" + host.name + "]" : host.name) + ":" + std::to_string(host.port);
  }
  return text;
}

Result<Options> read_options(const base::Uri& uri) {
  if (uri.scheme == "zookeepers") {
    return Failure(Errc::unsupported,
                   "zookeepers:// needs a libzookeeper with TLS, and the one that this "
                   "build uses has none; see docs/engines/zookeeper.md");
  }
  Options options;
  std::string password_file;
  if (auto done = read_query(uri, options, password_file); !done) {
    return std::move(done).error();
  }
  options.hosts = uri.hosts;
  if (options.hosts.empty()) options.hosts.push_back({"127.0.0.1", kPort});
  for (base::Host& host : options.hosts) {
    if (host.port == 0) host.port = kPort;
  }
  auto root = read_root(uri.path);
  if (!root) return std::move(root).error();
  options.root = *std::move(root);
  auto password = base::read_password(uri.password, password_file);
  if (!password) return std::move(password).error();
  options.user = uri.user;
  options.password = *std::move(password);
  if (options.user.empty() && !uri.password.empty()) {
    return bad("a password needs a user before it, as in user:password@host");
  }
  return options;
}

}  // namespace holdfast::zookeeper
