// SPDX-License-Identifier: Apache-2.0

#include "base/password.h"

#include <cstdlib>
#include <fstream>
#include <utility>

#include "base/common_failures.h"

namespace holdfast::base {

Result<Secret> read_password(const Secret& in_url, const std::string& file,
                             const char* variable) {
  if (!in_url.empty()) return in_url;
  if (file.empty()) {
    const char* const word = ::secure_getenv(variable);
    return Secret(word != nullptr ? word : "");
  }
  std::ifstream in(file);
  std::string line;
  if (!std::getline(in, line)) {
    return cannot_read("the password file " + in_quotes(file));
  }
  if (line.ends_with('\r')) line.pop_back();
  return Secret(std::move(line));
}

}  // namespace holdfast::base
