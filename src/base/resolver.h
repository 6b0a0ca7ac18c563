// SPDX-License-Identifier: Apache-2.0

// base/resolver.h - the addresses of a host, by a deadline.
//
//   auto addresses = base::resolve("db.example", 6379, until);
//   if (!addresses) return addresses.error();
//   for (const auto& each : *addresses) connect(fd, each.get(), each.size);
//
// getaddrinfo(3) has no deadline, and a name server that does not answer keeps it for
// half a minute. It runs on a thread of its own, which is abandoned when the deadline
// comes first: it delays neither its caller nor the end of the process.

#pragma once

#include <netdb.h>
#include <sys/socket.h>

#include <cstdint>
#include <string>
#include <vector>

#include "holdfast/clock.h"
#include "holdfast/result.h"

namespace holdfast::base {

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;

  const sockaddr* get() const noexcept {
    return reinterpret_cast<const sockaddr*>(&storage);
  }
};
using Addresses = std::vector<SocketAddress>;

// Returns at least one address for TCP, in the order of getaddrinfo. A host that is an
// address is not looked up. Concurrent callers for the same host share one thread, so a
// stuck resolver has one thread for each host. The function is safe for concurrent use,
// and in a child after fork().
//
// Errc::unavailable says what getaddrinfo returned, or that it did not return by
// `until`.
Result<Addresses> resolve(const std::string& host, std::uint16_t port,
                          Clock::time_point until);

// Replaces getaddrinfo in tests; null restores it.
using Lookup = int (*)(const char* host, const char* port, const addrinfo* hints,
                       addrinfo** found);
void resolve_with(Lookup lookup) noexcept;

}  // namespace holdfast::base
