// SPDX-License-Identifier: Apache-2.0

#include "mysql_url.h"

#include <charconv>
#include <string_view>

#include "errors.h"

namespace holdfast::demo {
namespace {

constexpr std::string_view kScheme = "mysql://";

[[noreturn]] void fail(const std::string& why) {
  throw Trouble(kConfig, "--store: " + why +
                             "; it is spelt mysql://[user[:password]@]host[:port]/"
                             "database[?socket=PATH&tls=off]");
}

// Cuts off and returns the text before the first `mark`, and removes the mark; takes
// all of it if there is no mark.
std::string_view cut(std::string_view& text, char mark) {
  const std::size_t at = text.find(mark);
  const std::string_view head = text.substr(0, at);
  text = at == text.npos ? std::string_view() : text.substr(at + 1);
  return head;
}

unsigned number(std::string_view text, int base, unsigned most) {
  unsigned value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size() || value > most) {
    fail("a number is not one");
  }
  return value;
}

std::string decoded(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      plain += text[i];
      continue;
    }
    plain += static_cast<char>(number(text.substr(i + 1, 2), 16, 255));
    i += 2;
  }
  return plain;
}

void read_who(std::string_view text, MysqlUrl& parts) {
  parts.user = decoded(cut(text, ':'));
  parts.password = decoded(text);
}

void read_where(std::string_view text, MysqlUrl& parts) {
  if (text.starts_with('[')) {
    text.remove_prefix(1);
    parts.host = cut(text, ']');
    if (text.starts_with(':')) text.remove_prefix(1);
  } else {
    parts.host = cut(text, ':');
  }
  if (!text.empty()) parts.port = number(text, 10, 65535);
}

bool is_loopback(const std::string& host) {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

}  // namespace

MysqlUrl MysqlUrl::of(const std::string& url) {
  std::string_view rest = url;
  if (!rest.starts_with(kScheme)) fail("the scheme is wrong");
  rest.remove_prefix(kScheme.size());
  MysqlUrl parts;
  std::string_view before = cut(rest, '/');
  if (const std::size_t at = before.rfind('@'); at != before.npos) {
    read_who(before.substr(0, at), parts);
    before.remove_prefix(at + 1);
  }
  read_where(before, parts);
  parts.database = decoded(cut(rest, '?'));
  if (parts.database.empty()) fail("a database is missing");
  bool plain = false;
  while (!rest.empty()) {
    std::string_view value = cut(rest, '&');
    const std::string_view key = cut(value, '=');
    if (key == "socket") {
      parts.socket = decoded(value);
    } else if (key == "tls" && (value == "off" || value == "verify")) {
      plain = value == "off";
    } else {
      fail("an option is not known");
    }
  }
  if (parts.host.empty() && parts.socket.empty()) fail("a host is missing");
  parts.tls = !plain && parts.socket.empty() && !is_loopback(parts.host);
  return parts;
}

}  // namespace holdfast::demo
