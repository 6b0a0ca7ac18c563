// SPDX-License-Identifier: Apache-2.0

#include "base/engine_options.h"

#include <charconv>
#include <utility>

#include "base/durations.h"
#include "base/password.h"

namespace holdfast::base {
namespace {

Failure must_be(const std::string& what) { return {Errc::bad_url, what}; }

std::string listed(const std::vector<std::string_view>& words) {
  std::string text;
  for (const std::string_view word : words) {
    text += text.empty() ? "" : ", ";
    text += word;
  }
  return text;
}

}  // namespace

Result<void> read_number(Text text, int most, int& out) {
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, out);
  if (error == std::errc{} && rest == end && out >= 0 && out <= most) return {};
  return must_be("a number from 0 to " + std::to_string(most));
}

Result<void> read_span(Text text, std::chrono::milliseconds& out) {
  const auto span = parse_duration(text);
  if (!span) return must_be("a duration such as 500ms or 30s");
  out = *span;
  return {};
}

Result<void> read_text(Text text, std::string& out) {
  if (text.empty() || text.find('\0') != std::string::npos) {
    return must_be("a word or a path");
  }
  out = text;
  return {};
}

Failure not_one_of(const std::vector<std::string_view>& words) {
  if (words.size() == 2) {
    return must_be(std::string(words[0]) + " or " + std::string(words[1]));
  }
  return must_be("one of " + listed(words));
}

Failure no_option(const OptionOwner& owner, const Uri& uri, const std::string& key,
                  const std::vector<std::string_view>& known) {
  return uri.bad(key, std::string(owner.engine) + " has no option \"" + key +
                          "\"; it has " + listed(known));
}

Failure without_tls(const OptionOwner& owner, const Uri& uri, const std::string& key) {
  const std::string scheme(owner.tls_scheme);
  return uri.bad(key,
                 uri.spell(key) + " belongs to TLS, " +
                     (uri.origin.is_url() ? "whose URLs start with " + scheme + "://"
                                          : "which is type = " + scheme));
}

Result<RetryPolicy> read_retry(const Uri& uri, RetryPolicy otherwise) {
  constexpr int kMostTimes = 1'000'000;
  constexpr std::chrono::milliseconds kLongest = std::chrono::hours(1);
  for (const auto& [key, value] : uri.query) {
    const auto bad = [&uri, &key = key](const std::string& what) {
      return uri.bad(key, uri.spell(key) + " must be " + what);
    };
    if (key == "retry_base") {
      const auto done = read_span(value, otherwise.base);
      if (!done || otherwise.base.count() == 0 || otherwise.base > kLongest) {
        return bad("a duration from 1ms to 1h");
      }
    } else if (key == "retry_times") {
      const auto done = read_number(value, kMostTimes, otherwise.times.emplace());
      if (!done) return bad(done.error().context);
    }
  }
  return otherwise;
}

Result<void> check_pair(const Uri& uri, Text cert_file, Text key_file) {
  if (cert_file.empty() == key_file.empty()) return {};
  return uri.bad(cert_file.empty() ? "key" : "cert",
                 uri.spell("cert") + " and " + uri.spell("key") + " come together");
}

std::vector<Host> hosts_of(const Uri& uri, std::uint16_t default_port) {
  std::vector<Host> hosts = uri.hosts;
  if (hosts.empty()) hosts.push_back({"127.0.0.1", default_port});
  for (Host& host : hosts) {
    if (host.port == 0) host.port = default_port;
  }
  return hosts;
}

Result<void> read_login(const Uri& uri, const std::string& password_file,
                        std::string& user, Secret& password) {
  if (uri.user.empty() && !uri.password.empty()) {
    return uri.bad("password", uri.origin.is_url()
                                   ? "a password needs a user before it, as in "
                                     "user:password@host"
                                   : "a password needs a user");
  }
  auto read = read_password(uri.password, password_file);
  if (!read) return std::move(read).error();
  user = uri.user;
  password = *std::move(read);
  return {};
}

}  // namespace holdfast::base
