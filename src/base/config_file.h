// SPDX-License-Identifier: Apache-2.0

// base/config_file.h - a client's settings in a file of `key = value` lines.
//
//   # comment                         type = quorum
//   type    = redis                   node = redis://10.0.0.1
//   address = 10.0.0.1:6379           node = redis://10.0.0.2
//   layout  = string                  node = redis://10.0.0.3
//   ttl     = 30s
//                                     url = redis://10.0.0.1?layout=string
//
// The keys are either `url`, or `type`, `address`, `path`, `user`, `password`, `node`
// and every option of the engine by its name in the URL; `ttl` and `payload` go with
// both. docs/configuration.md explains them.

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
  std::string warning;  // a sentence for the operator, or empty

  bool has_password() const noexcept;
};

// Errc::bad_config says which line is wrong, without its value if that is a secret.
// `file` is where the text came from, for these messages. The options are left in
// `uri.query` for the engine to read.
Result<ConfigFile> parse_config(std::string_view text, const std::string& file);

// Errc::denied means that the file may not be read, Errc::bad_config that it cannot be
// read or that a line is wrong.
Result<ConfigFile> read_config(const std::string& path);

}  // namespace holdfast::base
