#include "base/identity.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>

namespace holdfast::base {

std::string process_identity() {
  std::array<char, HOST_NAME_MAX + 1> host{};
  if (gethostname(host.data(), host.size() - 1) != 0) host[0] = '?';

  std::string identity = host.data();
  identity += ':' + std::to_string(getpid()) + ':';
  identity += program_invocation_short_name;
  for (char& c : identity) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = '?';
  }
  return identity;
}

}  // namespace holdfast::base
