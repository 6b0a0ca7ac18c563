// SPDX-License-Identifier: Apache-2.0

#include "base/ids.h"

#include <sys/random.h>

#include <cerrno>
#include <system_error>

namespace holdfast::base {

Uuid random_uuid() {
  Uuid id;
  std::size_t have = 0;
  while (have < id.size()) {
    const ssize_t got = getrandom(id.data() + have, id.size() - have, 0);
    if (got > 0) {
      have += static_cast<std::size_t>(got);
    } else if (errno != EINTR) {
      throw std::system_error(errno, std::generic_category(), "getrandom");
    }
  }
  id[6] = static_cast<std::uint8_t>((id[6] & 0x0F) | 0x40);
  id[8] = static_cast<std::uint8_t>((id[8] & 0x3F) | 0x80);
  return id;
}

std::string to_string(const Uuid& id) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(36);
  for (std::size_t i = 0; i < id.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += kDigits[id[i] >> 4];
    text += kDigits[id[i] & 0x0F];
  }
  return text;
}

}  // namespace holdfast::base
