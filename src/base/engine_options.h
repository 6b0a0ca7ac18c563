// SPDX-License-Identifier: Apache-2.0

// base/engine_options.h - the options of an engine: one reader for URL and config file.
//
//   constexpr Option<Draft> kOptions[] = {
//       {"mode", [](Draft& d, Text v) { return choose(kModes, v, d.mode); }},
//       {"ca", [](Draft& d, Text v) { return read_text(v, d.ca_file); }, kTls},
//   };
//   read_options({"Redis", "rediss"}, kOptions, uri, draft)

#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "base/secret.h"
#include "base/uri.h"
#include "holdfast/result.h"
#include "holdfast/retry.h"

namespace holdfast::base {

using Text = const std::string&;

// These read one value. A failure's context says what the value must be.
Result<void> read_number(Text text, int most, int& out);
Result<void> read_span(Text text, std::chrono::milliseconds& out);
Result<void> read_text(Text text, std::string& out);  // any text except an empty one

template <class Choice>
struct Word {
  std::string_view word;
  Choice choice;
};
constexpr Word<bool> kNoYes[] = {{"no", false}, {"yes", true}};

Failure not_one_of(const std::vector<std::string_view>& words);

template <class Choice, std::size_t kWords, class Out>
Result<void> choose(const Word<Choice> (&words)[kWords], Text text, Out& out) {
  std::vector<std::string_view> all;
  for (const auto& each : words) {
    if (each.word == text) {
      out = each.choice;
      return {};
    }
    all.push_back(each.word);
  }
  return not_one_of(all);
}

// An option sets one member of the draft of an engine's options.
inline constexpr bool kTls = true;
template <class Draft>
struct Option {
  std::string_view name;
  Result<void> (*set)(Draft& to, Text value);
  bool tls = false;  // It has no meaning without TLS.
};

struct OptionOwner {
  std::string_view engine;           // such as "Redis"
  std::string_view tls_scheme = {};  // such as "rediss"; empty means that no option
                                     // needs TLS
};

Failure no_option(const OptionOwner& owner, const Uri& uri, const std::string& key,
                  const std::vector<std::string_view>& known);
Failure without_tls(const OptionOwner& owner, const Uri& uri, const std::string& key);

// Every engine with a server has these options; the client reads them with
// `read_retry`.
inline constexpr std::string_view kRetryOptions[] = {"retry_base", "retry_times"};
Result<RetryPolicy> read_retry(const Uri& uri, RetryPolicy otherwise);

template <class Draft, std::size_t kOptions>
std::vector<std::string_view> names_of(const Option<Draft> (&table)[kOptions]) {
  std::vector<std::string_view> names;
  for (const auto& each : table) names.push_back(each.name);
  names.insert(names.end(), std::begin(kRetryOptions), std::end(kRetryOptions));
  return names;
}

// Errc::bad_url or Errc::bad_config means that an option is unknown, is given twice or
// has an impossible value.
template <class Draft, std::size_t kOptions>
Result<void> read_options(const OptionOwner& owner,
                          const Option<Draft> (&table)[kOptions], const Uri& uri,
                          Draft& draft) {
  std::vector<std::string_view> seen;
  for (const auto& [key, value] : uri.query) {
    if (std::ranges::find(seen, key) != seen.end()) {
      return uri.bad(key, uri.spell(key) + " is given twice");
    }
    seen.push_back(key);
    if (std::ranges::find(kRetryOptions, key) != std::end(kRetryOptions)) continue;
    const auto option = std::ranges::find(table, key, &Option<Draft>::name);
    if (option == std::end(table)) return no_option(owner, uri, key, names_of(table));
    if (option->tls && uri.scheme != owner.tls_scheme) {
      return without_tls(owner, uri, key);
    }
    if (const auto done = option->set(draft, value); !done) {
      return uri.bad(key, uri.spell(key) + " must be " + done.error().context);
    }
  }
  return {};
}

// Refuses a certificate without its key, or a key without its certificate.
Result<void> check_pair(const Uri& uri, Text cert_file, Text key_file);

// Returns the hosts, each with its port, or the local host if the URL names none.
std::vector<Host> hosts_of(const Uri& uri, std::uint16_t default_port);

// Reads the user, and the password of the URL or config file, of `password_file`, or of
// the environment. A password in the URL or config file needs a user beside it.
// Errc::denied means that the file cannot be read.
Result<void> read_login(const Uri& uri, const std::string& password_file,
                        std::string& user, Secret& password);

}  // namespace holdfast::base
