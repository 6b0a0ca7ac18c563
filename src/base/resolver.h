// base/resolver.h - the addresses of a host, by a deadline.
//
//   auto addresses = base::resolve("db.example", 6379, until);
//   if (!addresses) return addresses.error();
//   for (const auto& each : *addresses) connect(fd, each.get(), each.size);
//
// getaddrinfo(3) has no deadline, and a name server that does not answer keeps it for
// half a minute. It runs on a thread of its own, which is left alone when the deadline
// comes first: it holds up neither its caller nor the end of the process.

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

// For TCP, in the order of getaddrinfo; at least one. A host that is an address is not
// looked up. Callers who want the same host at the same time share one thread, so a
// resolver that is stuck has one thread for each host. Safe for concurrent use, and in
// a child after fork().
//
// Errc::unavailable: what getaddrinfo says, or that it said nothing by `until`.
Result<Addresses> resolve(const std::string& host, std::uint16_t port,
                          Clock::time_point until);

// For tests: what stands in for getaddrinfo from now on; null: itself.
using Lookup = int (*)(const char* host, const char* port, const addrinfo* hints,
                       addrinfo** found);
void resolve_with(Lookup lookup) noexcept;

}  // namespace holdfast::base
