// SPDX-License-Identifier: Apache-2.0

#include "base/identity.h"

#include <pthread.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>

#include "holdfast/holder.h"
#include "holdfast/lock_reason.h"

namespace holdfast::base {
namespace {

constexpr std::size_t kLongestName = 56;  // The file of the function should still be
                                          // visible.

}  // namespace

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

const std::string& thread_identity() {
  thread_local const std::string identity = [] {
    std::array<char, 16> name{};
    (void)pthread_getname_np(pthread_self(), name.data(), name.size());
    return std::string(name.data()) + " " + std::to_string(gettid());
  }();
  return identity;
}

std::string payload_with_reason(std::string_view payload) {
  const LockReason* const reason = LockReason::innermost();
  if (reason == nullptr) return {};
  Holder holder = read_holder(payload);
  holder.thread = thread_identity();
  const std::string_view file = reason->file();
  holder.function = std::string(reason->function().substr(0, kLongestName)) + " at " +
                    std::string(file.substr(file.rfind('/') + 1)) + ":" +
                    std::to_string(reason->line());
  if (!reason->description().empty()) holder.description = reason->description();
  return write_holder(holder);
}

}  // namespace holdfast::base
