// SPDX-License-Identifier: Apache-2.0

#include "base/uri.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/percent.h"

namespace holdfast::base {
namespace {

Failure bad(const std::string& what) { return {Errc::bad_url, "bad URL: " + what}; }

bool is_alpha(char c) noexcept { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; }
bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
bool is_one_of(std::string_view set, char c) noexcept {
  return set.find(c) != std::string_view::npos;
}

// Cuts off and returns the text before `mark`, or returns nothing if there is no
// `mark`.
std::optional<std::string_view> cut_before(std::string_view& text, char mark) {
  const auto at = text.find(mark);
  if (at == std::string_view::npos) return std::nullopt;
  const auto head = text.substr(0, at);
  text.remove_prefix(at + 1);
  return head;
}

bool is_secret(std::string_view key) {
  for (const std::string_view word : {"pass", "secret", "token", "auth"}) {
    if (key.find(word) != std::string_view::npos) return true;
  }
  return false;
}

Result<void> parse_userinfo(std::string_view text, Uri& uri) {
  const auto user = cut_before(text, ':');
  const auto name = percent_decode(user ? *user : text);
  const auto password = user ? percent_decode(text) : std::string();
  if (!name || !password) return bad("bad percent-encoding before the '@'");
  uri.user = *name;
  uri.password = Secret(*password);
  return {};
}

Result<void> parse_authority(std::string_view text, Uri& uri) {
  if (const auto at = text.rfind('@'); at != std::string_view::npos) {
    if (auto done = parse_userinfo(text.substr(0, at), uri); !done) return done;
    text.remove_prefix(at + 1);
  }
  while (!text.empty()) {
    const auto head = cut_before(text, ',');
    auto host = parse_host(head ? *head : text);
    if (!host) return std::move(host).error();
    uri.hosts.push_back(*std::move(host));
    if (!head) break;
  }
  return {};
}

Result<void> parse_query(std::string_view text, Uri& uri) {
  while (!text.empty()) {
    const auto head = cut_before(text, '&');
    std::string_view value = head ? *head : text;
    const auto key = cut_before(value, '=');
    const auto name = key ? percent_decode(*key) : std::nullopt;
    const auto plain = percent_decode(value);
    if (!name || name->empty() || !plain) {
      return bad("after the '?' every option is written key=value");
    }
    uri.query.emplace_back(*name, *plain);
    if (!head) break;
  }
  return {};
}

// A part without a scheme was cut off by a comma elsewhere, perhaps in a password, so
// it is not shown.
bool is_whole(std::string_view part) {
  const auto scheme = cut_before(part, ':');
  return scheme && !scheme->empty() && (part.empty() || part.front() == '/');
}

Result<void> parse_parts(std::string_view text, Uri& uri) {
  while (!text.empty()) {
    const auto head = cut_before(text, ',');
    const auto part = head ? *head : text;
    const std::string which =
        "part " + std::to_string(uri.parts.size() + 1) + " of the quorum ";
    if (!is_whole(part)) {
      return bad(which +
                 "is not a whole URL: parts have one host each, and a comma in "
                 "anything else is written %2C");
    }
    auto parsed = parse_uri(part);
    if (!parsed) return bad(which + "is a " + parsed.error().context);
    if (!parsed->parts.empty()) return bad(which + "is a quorum itself");
    uri.parts.push_back(*std::move(parsed));
    if (!head) break;
  }
  return {};
}

// Returns the redacted form of a quorum.
std::string spell_parts(const std::vector<Uri>& parts) {
  std::string line;
  for (const Uri& part : parts) {
    if (!line.empty()) line += ',';
    for (const char c : part.redacted()) c == ',' ? line += "%2C" : line += c;
  }
  return line;
}

}  // namespace

Result<Host> parse_host(std::string_view text) {
  Host host;
  std::string_view port;
  if (text.starts_with('[')) {
    const auto end = text.find(']');
    if (end == std::string_view::npos) return bad("a '[' without its ']'");
    host.name = text.substr(1, end - 1);
    port = text.substr(end + 1);
    if (!port.empty() && port.front() != ':') return bad("a ']' without its ':'");
  } else {
    const auto colon = text.find(':');
    host.name = text.substr(0, colon);
    if (colon != std::string_view::npos) port = text.substr(colon);
  }
  if (host.name.empty()) return bad("a host is missing");
  for (const char c : host.name) {
    if (!is_alpha(c) && !is_digit(c) && !is_one_of("-._:%", c)) {
      return bad("a host has a character that no host has");
    }
  }
  if (port.empty()) return host;

  port.remove_prefix(1);
  const char* const end = port.data() + port.size();
  const auto [rest, error] = std::from_chars(port.data(), end, host.port);
  if (error != std::errc{} || rest != end || host.port == 0) {
    return bad("the port of host " + host.name + " is not a number from 1 to 65535");
  }
  return host;
}

Result<Uri> parse_uri(std::string_view text) {
  Uri uri;
  const auto scheme = cut_before(text, ':');
  if (!scheme || scheme->empty() || !is_alpha(scheme->front())) {
    return bad("it must start with an engine, as in local: or redis://host");
  }
  for (const char c : *scheme) {
    if (!is_alpha(c) && !is_digit(c) && !is_one_of("+-.", c)) {
      return bad("it must start with an engine, as in local: or redis://host");
    }
    uri.scheme += is_alpha(c) ? static_cast<char>(c | 0x20) : c;
  }
  if (uri.scheme == "quorum") {
    if (auto done = parse_parts(text, uri); !done) return std::move(done).error();
    return uri;
  }
  if (const auto hash = text.find('#'); hash != std::string_view::npos) {
    return bad("a '#' has no meaning here; write it as %23");
  }

  std::string_view query;
  if (const auto mark = text.find('?'); mark != std::string_view::npos) {
    query = text.substr(mark + 1);
    text = text.substr(0, mark);
  }
  if (text.starts_with("//")) {
    text.remove_prefix(2);
    const auto slash = std::min(text.find('/'), text.size());
    if (auto done = parse_authority(text.substr(0, slash), uri); !done) {
      return std::move(done).error();
    }
    text.remove_prefix(slash);
  } else if (!text.empty() && text.front() != '/') {
    return bad("after " + uri.scheme + ": comes //, as in " + uri.scheme + "://...");
  }
  const auto path = percent_decode(text);
  if (!path) return bad("bad percent-encoding in the path");
  uri.path = *path;
  if (auto done = parse_query(query, uri); !done) return std::move(done).error();
  return uri;
}

std::string spell(const Host& host) {
  const bool v6 = host.name.find(':') != std::string::npos;
  const std::string name = v6 ? "[" + host.name + "]" : host.name;
  return host.port == 0 ? name : name + ":" + std::to_string(host.port);
}

std::string spell(const std::vector<Host>& hosts) {
  std::string text;
  for (const Host& host : hosts) {
    if (!text.empty()) text += ',';
    text += spell(host);
  }
  return text;
}

std::string Origin::prefix(std::string_view key) const {
  if (file.empty()) return {};
  const auto known = lines.find(key);
  const int at = known != lines.end() ? known->second : line;
  return file + (at == 0 ? ": " : ":" + std::to_string(at) + ": ");
}

Failure Uri::bad(std::string_view key, const std::string& what) const {
  return {origin.file.empty() ? Errc::bad_url : Errc::bad_config,
          origin.prefix(key) + (origin.is_url() ? "bad URL: " : "") + what};
}

std::string Uri::spell(std::string_view option) const {
  return origin.is_url() ? "?" + std::string(option) + "=" : std::string(option);
}

std::string Uri::redacted() const {
  std::string line = scheme + ":";
  if (!parts.empty()) return line + spell_parts(parts);
  if (!hosts.empty() || !user.empty() || !password.empty() || !path.empty()) {
    line += "//";
  }
  if (!user.empty() || !password.empty()) {
    line += percent_encode(user, "") + (password.empty() ? "@" : ":***@");
  }
  line += base::spell(hosts);
  line += percent_encode(path, "/:@,+");
  for (std::size_t i = 0; i < query.size(); ++i) {
    const auto& [key, value] = query[i];
    line += (i == 0 ? "?" : "&") + percent_encode(key, "") + "=";
    line += is_secret(key) ? "***" : percent_encode(value, "/:,");
  }
  return line;
}

}  // namespace holdfast::base
