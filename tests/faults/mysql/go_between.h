// tests/faults/mysql/go_between.h - a server in front of the server, as load balancers
// are.
//
//   GoBetween proxy(server.port(), {.renumbers = true});
//   Client client = Client::open(server.url("/locks", proxy.port()));

#pragma once

#include <cstdint>
#include <string>
#include <thread>

#include "support/here.h"

namespace holdfast::test {

struct Manners {
  bool renumbers = false;  // greets with numbers of connections of its own
  std::string refuses;     // statements with this text: "not supported yet"
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
  const Socket listening_ = listen_here();
  std::jthread thread_;
};

}  // namespace holdfast::test
