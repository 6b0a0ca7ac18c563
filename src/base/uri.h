// base/uri.h - where an engine is, in one line.
//
//   local:                                 local:///run/app/locks
//   redis://app:password@10.0.0.1:6379,10.0.0.2:6379/0?names=raw
//   quorum:redis://10.0.0.1,redis://10.0.0.2,redis://10.0.0.3

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/secret.h"
#include "holdfast/result.h"

namespace holdfast::base {

struct Host {
  std::string name;        // without the brackets of an IPv6 address
  std::uint16_t port = 0;  // zero: the engine's default
  bool operator==(const Host&) const = default;
};

struct Uri {
  std::string scheme;  // in lower case
  std::string user;
  Secret password;
  std::vector<Host> hosts;
  std::string path;  // with its leading slash; empty: none
  std::vector<std::pair<std::string, std::string>> query;
  std::vector<Uri> parts;  // of a quorum, which has nothing else

  // The same line, percent-encoded, with every secret spelt "***".
  std::string redacted() const;
};

// Percent-encoding is undone everywhere. Errc::bad_url names the part that is wrong and
// never shows a password.
Result<Uri> parse_uri(std::string_view text);

// "10.0.0.1:6379", "[::1]:6379" or a bare name.
Result<Host> parse_host(std::string_view text);

}  // namespace holdfast::base
