// SPDX-License-Identifier: Apache-2.0

// tests/faults/mysql/go_between.h - a proxy that changes what passes, as load
// balancers do.
//
//   GoBetween proxy(server.port(), {.renumbers = true});
//   Client client = Client::open(server.url("/locks", proxy.port())).value();

#pragma once

#include <cstdint>
#include <string>
#include <thread>

#include "support/loopback.h"

namespace holdfast::test {

struct Manners {
  bool renumbers = false;  // its greeting has a connection number of its own
  std::string refuses;     // answers "not supported yet" to statements with it
};

class GoBetween {
 public:
  GoBetween(std::uint16_t server_port, Manners manners);
  ~GoBetween();
  std::uint16_t port() const { return port_of(listening_); }

 private:
  void serve(const std::stop_token& stop, const Socket& client) const;

  const std::uint16_t server_port_;
  const Manners manners_;
  const Socket listening_ = listen_loopback();
  std::jthread thread_;
};

}  // namespace holdfast::test
