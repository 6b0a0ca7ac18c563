// SPDX-License-Identifier: Apache-2.0

#include "run/channel.h"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace holdfast::cli {
namespace {

union Control {
  cmsghdr header;
  char space[CMSG_SPACE(sizeof(int))];
};

template <class Message>
bool send_packet(int fd, const Message& message, int attached) noexcept {
  iovec bytes{const_cast<Message*>(&message), sizeof message};
  Control control{};
  msghdr packet{};
  packet.msg_iov = &bytes;
  packet.msg_iovlen = 1;
  if (attached >= 0) {
    packet.msg_control = &control;
    packet.msg_controllen = sizeof control;
    control.header.cmsg_level = SOL_SOCKET;
    control.header.cmsg_type = SCM_RIGHTS;
    control.header.cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(&control.header), &attached, sizeof attached);
  }
  ssize_t sent;
  do {
    sent = sendmsg(fd, &packet, MSG_NOSIGNAL | MSG_DONTWAIT);
  } while (sent < 0 && errno == EINTR);
  return sent == static_cast<ssize_t>(sizeof message);
}

template <class Message>
std::optional<Message> receive_packet(int fd, Descriptor* attached) noexcept {
  Message message;
  iovec bytes{&message, sizeof message};
  Control control{};
  msghdr packet{};
  packet.msg_iov = &bytes;
  packet.msg_iovlen = 1;
  packet.msg_control = &control;
  packet.msg_controllen = sizeof control;
  // If the peer ended without reading all messages, one receive fails with ECONNRESET
  // before the peer's own messages can be read.
  ssize_t received;
  do {
    received = recvmsg(fd, &packet, MSG_CMSG_CLOEXEC);
  } while (received < 0 && (errno == EINTR || errno == ECONNRESET));
  if (received != static_cast<ssize_t>(sizeof message)) return std::nullopt;
  // There was no descriptor number left for the attached one.
  if ((packet.msg_flags & MSG_CTRUNC) != 0) {
    errno = EMFILE;
    return std::nullopt;
  }
  const cmsghdr* header = CMSG_FIRSTHDR(&packet);
  if (header != nullptr && header->cmsg_type == SCM_RIGHTS && attached != nullptr) {
    int passed = -1;
    std::memcpy(&passed, CMSG_DATA(header), sizeof passed);
    *attached = Descriptor(passed);
  }
  return message;
}

}  // namespace

std::array<int, 2> Channel::make_pair() {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw std::runtime_error(without_descriptor("cannot make a socket", errno));
  }
  return ends;
}

bool Channel::send(const Order& order, int attached) noexcept {
  return send_packet(fd(), order, attached);
}

bool Channel::send(const Report& report) noexcept {
  return send_packet(fd(), report, -1);
}

std::optional<Order> Channel::receive_order(Descriptor& attached) noexcept {
  return receive_packet<Order>(fd(), &attached);
}

std::optional<Report> Channel::receive_report() noexcept {
  return receive_packet<Report>(fd(), nullptr);
}

}  // namespace holdfast::cli
