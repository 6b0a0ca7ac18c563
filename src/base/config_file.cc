#include "base/config_file.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <set>
#include <sstream>

#include "base/durations.h"

namespace holdfast::base {
namespace {

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  const auto first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

std::string_view unquote(std::string_view text) {
  const bool quoted = text.size() >= 2 && text.front() == '"' && text.back() == '"';
  return quoted ? text.substr(1, text.size() - 2) : text;
}

Result<void> set_addresses(std::string_view list, Uri& uri) {
  for (;;) {
    const auto comma = list.find(',');
    auto host = parse_host(trim(list.substr(0, comma)));
    if (!host) {
      return Failure(Errc::bad_config, "address is a list of host:port, with commas");
    }
    uri.hosts.push_back(*std::move(host));
    if (comma == std::string_view::npos) return {};
    list.remove_prefix(comma + 1);
  }
}

Result<void> set(std::string_view key, std::string_view value, ConfigFile& config) {
  if (value.empty()) {
    return Failure(Errc::bad_config, std::string(key) + " has no value");
  }
  if (key == "type") {
    config.uri.scheme = value;
  } else if (key == "address") {
    return set_addresses(value, config.uri);
  } else if (key == "path") {
    if (value.front() != '/') {
      return Failure(Errc::bad_config, "path must begin with a '/'");
    }
    config.uri.path = value;
  } else if (key == "user") {
    config.uri.user = value;
  } else if (key == "password") {
    config.uri.password = Secret(std::string(value));
  } else if (key == "payload") {
    config.payload = value;
  } else if (key == "ttl") {
    const auto ttl = parse_duration(value);
    if (!ttl) return ttl.error();
    config.ttl = *ttl;
  } else {
    return Failure(Errc::bad_config,
                   "unknown key \"" + std::string(key) +
                       "\"; known are type, address, path, user, password, ttl, "
                       "payload");
  }
  return {};
}

}  // namespace

Result<ConfigFile> parse_config(std::string_view text, const std::string& origin) {
  ConfigFile config;
  std::set<std::string, std::less<>> seen;
  for (int number = 1; !text.empty(); ++number) {
    const auto end = text.find('\n');
    const auto line = trim(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.empty() || line.front() == '#') continue;

    const auto bad = [&](const std::string& what) {
      return Failure(Errc::bad_config,
                     origin + ":" + std::to_string(number) + ": " + what);
    };
    const auto equals = line.find('=');
    if (equals == std::string_view::npos) return bad("expected key = value");
    const auto key = trim(line.substr(0, equals));
    if (!seen.emplace(key).second) return bad(std::string(key) + " is given twice");
    const auto done = set(key, unquote(trim(line.substr(equals + 1))), config);
    if (!done) return bad(done.error().message());
  }
  if (config.uri.scheme.empty()) {
    return Failure(Errc::bad_config,
                   origin + ": type is missing; write for example type = local");
  }
  return config;
}

Result<ConfigFile> read_config(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf())) {
    const int why = errno;
    return Failure(why == EACCES ? Errc::denied : Errc::bad_config,
                   "cannot read " + path + ": " + std::strerror(why));
  }
  return parse_config(text.view(), path);
}

}  // namespace holdfast::base
