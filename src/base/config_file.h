// base/config_file.h - a client's settings in a file of `key = value` lines.
//
//   # comment
//   type    = redis
//   address = 10.0.0.1:6379, 10.0.0.2:6379
//   ttl     = 30s
//
// Keys: type, address, path, user, password, ttl, payload. See docs/configuration.md.

#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/uri.h"
#include "holdfast/result.h"

namespace holdfast::base {

struct ConfigFile {
  Uri uri;
  std::optional<std::chrono::milliseconds> ttl;
  std::optional<std::string> payload;
};

// Errc::bad_config says which line is wrong, without its value if that is a secret.
// `origin` is what the text came from, for these messages.
Result<ConfigFile> parse_config(std::string_view text, const std::string& origin);

// Errc::denied: it may not be read. Errc::bad_config: it cannot be, or as above.
Result<ConfigFile> read_config(const std::string& path);

}  // namespace holdfast::base
