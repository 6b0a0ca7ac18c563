// SPDX-License-Identifier: Apache-2.0

// tools/holdfast/run/channel.h - what the supervisor and its watchdog say to each
// other.
//
// Each packet is one message. Both processes are forked from one program, so the bytes
// of a struct are the format.

#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "run/descriptor.h"

namespace holdfast::cli {

// An Order goes to the watchdog.
struct Order {
  enum Kind : std::uint32_t { start, extend, lost, signal };
  Kind kind = start;
  std::int32_t signal_number = 0;
  std::int64_t end = 0;  // the end of the lease, on holdfast::Clock
  std::uint64_t token = 0;
  std::int64_t ttl_ms = 0;
  std::array<char, 32> engine{};
};

// A Report comes from the watchdog.
struct Report {
  enum Kind : std::uint32_t { cannot_run, losing, ended };
  Kind kind = ended;
  std::int32_t status = 0;  // an errno, or a wait(2) status
  bool lost = false;
};

// A Channel is one end of the pair.
class Channel {
 public:
  explicit Channel(int fd) noexcept : fd_(fd) {}
  static std::array<int, 2> make_pair();  // throws std::system_error

  int fd() const noexcept { return fd_.get(); }
  void close() noexcept { fd_.reset(); }

  // Returns false if the other end is gone, or is stopped and has left very many
  // messages unread.
  bool send(const Order& order, int attached = -1) noexcept;
  bool send(const Report& report) noexcept;

  // Waits for a message. Returns nothing if the other end is gone.
  std::optional<Order> receive_order(Descriptor& attached) noexcept;
  std::optional<Report> receive_report() noexcept;

 private:
  Descriptor fd_;
};

}  // namespace holdfast::cli
