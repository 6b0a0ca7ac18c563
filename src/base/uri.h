// SPDX-License-Identifier: Apache-2.0

// base/uri.h - the URL of an engine.
//
//   local:                                 local:///run/app/locks
//   redis://app:password@10.0.0.1:6379,10.0.0.2:6379/0?names=raw
//   quorum:redis://10.0.0.1,redis://10.0.0.2,redis://10.0.0.3

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/secret.h"
#include "holdfast/result.h"

namespace holdfast::base {

struct Host {
  std::string name;        // without the brackets of an IPv6 address
  std::uint16_t port = 0;  // zero means the engine's default
  bool operator==(const Host&) const = default;
};

// An Origin says where a Uri was written, for messages: in a URL, in a URL inside a
// config file, or line by line in such a file.
struct Origin {
  std::string file;  // empty if the URL is not from a file
  int line = 0;      // of that URL in the file
  // The lines of the keys are empty for a URL.
  std::map<std::string, int, std::less<>> lines = {};

  bool is_url() const noexcept { return lines.empty(); }
  std::string prefix(std::string_view key) const;  // "FILE:3: ", or empty
};

struct Uri {
  std::string scheme;  // in lower case
  std::string user;
  Secret password;
  std::vector<Host> hosts;
  std::string path;  // with its leading slash, or empty
  std::vector<std::pair<std::string, std::string>> query;
  std::vector<Uri> parts;  // the parts of a quorum, which has nothing else
  Origin origin;

  // Says what is wrong with the part that a config file calls `key`: Errc::bad_url with
  // "bad URL: ...", or Errc::bad_config with "FILE:3: ...".
  Failure bad(std::string_view key, const std::string& what) const;

  // Returns an option as it was written: "?mode=" in a URL, "mode" in a file.
  std::string spell(std::string_view option) const;

  // Returns the URL again, percent-encoded, with every secret spelt "***".
  std::string redacted() const;
};

// Percent-encoding is undone in every part. Errc::bad_url names the part that is wrong
// and never shows a password.
Result<Uri> parse_uri(std::string_view text);

// These read and write "10.0.0.1:6379", "[::1]:6379" or a bare name, with commas
// between several hosts.
Result<Host> parse_host(std::string_view text);
std::string spell(const Host& host);
std::string spell(const std::vector<Host>& hosts);

}  // namespace holdfast::base
