// SPDX-License-Identifier: Apache-2.0

// tests/faults/stranger.h - a server of another kind at the port.

#pragma once

#include <sys/socket.h>

#include <atomic>
#include <list>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

#include "support/loopback.h"

namespace holdfast::test {

enum class After { keep, close };
enum class Speaks { first, second };

// Sends the same bytes to every client, at once or when the client has sent something.
class Stranger {
 public:
  Stranger(std::string says, After after, Speaks when)
      : thread_(
            [this, says = std::move(says), after, when](const std::stop_token& stop) {
              std::list<Socket> kept;
              while (!stop.stop_requested()) {
                Socket client = accept_on(listening_, 20);
                if (!client) continue;
                ++met_;
                char heard[1024];
                if (when == Speaks::second)
                  (void)!recv(client.fd(), heard, sizeof heard, 0);
                (void)!send(client.fd(), says.data(), says.size(), MSG_NOSIGNAL);
                if (after == After::keep) kept.push_back(std::move(client));
              }
            }) {}

  // Returns how many clients have connected.
  int met() const noexcept { return met_; }

  std::string at() const { return "127.0.0.1:" + std::to_string(port_of(listening_)); }

 private:
  const Socket listening_ = listen_loopback();
  std::atomic<int> met_{0};
  std::jthread thread_;
};

// Returns bytes that mean nothing.
inline std::string noise() {
  std::string result;
  for (int i = 0; i < 4096; ++i) result.push_back(static_cast<char>(i * 7 + i / 251));
  return result;
}

}  // namespace holdfast::test
