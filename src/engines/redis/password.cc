#include "engines/redis/password.h"

#include <cstdlib>
#include <fstream>
#include <utility>

namespace holdfast::redis {

Result<base::Secret> read_password(const base::Secret& in_url,
                                   const std::string& file) {
  if (!in_url.empty()) return in_url;
  if (file.empty()) {
    const char* const word = std::getenv("HOLDFAST_PASSWORD");
    return base::Secret(word != nullptr ? word : "");
  }
  std::ifstream in(file);
  std::string line;
  if (!std::getline(in, line)) {
    return Failure(Errc::denied, "the password file " + file + " cannot be read");
  }
  if (line.ends_with('\r')) line.pop_back();
  return base::Secret(std::move(line));
}

}  // namespace holdfast::redis
