// base/config_file.h - a client's settings in a file of `key = value` lines.
//
//   # comment                         type = quorum
//   type    = redis                   node = redis://10.0.0.1
//   address = 10.0.0.1:6379           node = redis://10.0.0.2
//   layout  = string                  node = redis://10.0.0.3
//   ttl     = 30s
//                                     url = redis://10.0.0.1?layout=string
//
// Keys: `url`; or `type`, `address`, `path`, `user`, `password`, `node` and every
// option of the engine by its name in the URL; and `ttl`, `payload`. See
// docs/configuration.md.

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
  std::string warning;  // a sentence for the operator; empty: none

  bool has_password() const noexcept;
};

// Errc::bad_config says which line is wrong, without its value if that is a secret.
// `file` is what the text came from, for these messages. Options are left in
// `uri.query` for the engine to read.
Result<ConfigFile> parse_config(std::string_view text, const std::string& file);

// Errc::denied: it may not be read. Errc::bad_config: it cannot be, or as above.
Result<ConfigFile> read_config(const std::string& path);

}  // namespace holdfast::base
