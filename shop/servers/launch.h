// SPDX-License-Identifier: Apache-2.0

// shop/servers/launch.h - starts a server at a port that it cannot choose itself.

#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

#include "errors.h"
#include "servers/child.h"
#include "servers/free_port.h"

namespace holdfast::shop {

inline constexpr std::chrono::seconds kServerPatience{60};

struct RunningServer {
  Child child;
  std::uint16_t port;
};

// Calls `attempt` until it does not throw Trouble, three times at most: another process
// may take a port between the look for it and the server's start.
template <class Attempt>
auto with_free_ports(Attempt attempt) {
  constexpr int kTries = 3;
  for (int tried = 1;; ++tried) {
    try {
      return attempt();
    } catch (const Trouble& e) {
      if (tried == kTries || e.exit_code() == kInterrupted) throw;
    }
  }
}

// Starts what `launch` makes of a port, and waits until it says `ready`.
template <class Launch>
RunningServer launched(const std::string& ready, Launch launch) {
  return with_free_ports([&] {
    const std::uint16_t port = free_port();
    Child child = launch(port);
    child.await(ready, kServerPatience);
    return RunningServer{std::move(child), port};
  });
}

inline std::string at(std::uint16_t port) {
  return "127.0.0.1:" + std::to_string(port);
}

}  // namespace holdfast::shop
