// SPDX-License-Identifier: Apache-2.0

#include "faults/mysql/go_between.h"

#include <poll.h>
#include <sys/socket.h>

#include <list>
#include <utility>

namespace holdfast::test {
namespace {

constexpr std::size_t kHeader = 4;  // three bytes of length, one of the number

// Returns false if the other side has closed.
bool receive(const Socket& from, std::string& into) {
  char buffer[65536];
  const ssize_t n = recv(from.fd(), buffer, sizeof buffer, 0);
  if (n > 0) into.append(buffer, static_cast<std::size_t>(n));
  return n > 0;
}

void pass(const Socket& to, const std::string& bytes) {
  (void)!send(to.fd(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
}

// Takes the first packet. Nothing means that it is not whole yet.
std::string take_packet(std::string& bytes) {
  if (bytes.size() < kHeader) return {};
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const std::size_t size =
      kHeader + (at(0) | std::size_t{at(1)} << 8 | std::size_t{at(2)} << 16);
  if (bytes.size() < size) return {};
  const std::string packet = bytes.substr(0, size);
  bytes.erase(0, size);
  return packet;
}

// The number of the connection comes after the version of the server.
void renumber(std::string& greeting) {
  const std::size_t number = greeting.find('\0', kHeader + 1) + 1;
  greeting.at(number) = static_cast<char>(greeting.at(number) ^ 0x55);
}

const std::string& refusal() {
  static const std::string packet = [] {
    const std::string rest =
        "\xff\xd3\x04#42000This version of MariaDB doesn't yet support it";
    return std::string{static_cast<char>(rest.size()), 0, 0, 1} + rest;
  }();
  return packet;
}

}  // namespace

GoBetween::GoBetween(std::uint16_t server_port, Manners manners)
    : server_port_(server_port),
      manners_(std::move(manners)),
      thread_([this](const std::stop_token& stop) {
        std::list<std::jthread> guests;
        while (!stop.stop_requested()) {
          Socket client = accept_on(listening_, 20);
          if (!client) continue;
          guests.emplace_back(
              [this, client = std::move(client)](const std::stop_token& over) {
                serve(over, client);
              });
        }
      }) {}

GoBetween::~GoBetween() = default;

void GoBetween::serve(const std::stop_token& stop, const Socket& client) const {
  const Socket server = connect_loopback(server_port_);
  std::string asked;
  std::string answered;
  bool greeted = false;
  while (!stop.stop_requested()) {
    pollfd fds[] = {{client.fd(), POLLIN, 0}, {server.fd(), POLLIN, 0}};
    if (poll(fds, 2, 20) <= 0) continue;
    if (fds[0].revents != 0 && !receive(client, asked)) return;
    if (fds[1].revents != 0 && !receive(server, answered)) return;
    for (auto packet = take_packet(asked); !packet.empty();
         packet = take_packet(asked)) {
      const bool refused = !manners_.refuses.empty() &&
                           packet.find(manners_.refuses) != std::string::npos;
      refused ? pass(client, refusal()) : pass(server, packet);
    }
    for (auto packet = take_packet(answered); !packet.empty();
         packet = take_packet(answered)) {
      if (!std::exchange(greeted, true) && manners_.renumbers) renumber(packet);
      pass(client, packet);
    }
  }
}

}  // namespace holdfast::test
