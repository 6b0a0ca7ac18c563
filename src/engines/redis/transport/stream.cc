// SPDX-License-Identifier: Apache-2.0

#include "engines/redis/transport/stream.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include "engines/redis/transport/socket.h"
#include "engines/redis/transport/tls.h"

namespace holdfast::redis {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds kLongestRead = 200ms;
constexpr std::size_t kMostTexts = 64;

Failure broken(int error) {
  return {Errc::unavailable, std::error_code(error, std::generic_category()).message()};
}

// Where the deadline allows it, `wait` is the read itself: one system call, limited by
// the socket's own timeout.
class PlainStream final : public Stream {
 public:
  explicit PlainStream(Socket socket) : socket_(std::move(socket)) {
    const timeval limit{0, std::chrono::microseconds(kLongestRead).count()};
    setsockopt(fd(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    fcntl(fd(), F_SETFL, fcntl(fd(), F_GETFL) & ~O_NONBLOCK);
  }

  Result<std::size_t> write_some(std::span<const std::string_view> texts) override {
    std::array<iovec, kMostTexts> pieces;
    msghdr message{};
    message.msg_iov = pieces.data();
    for (const std::string_view text :
         texts.first(std::min(texts.size(), kMostTexts))) {
      // The kernel only reads them.
      pieces[message.msg_iovlen++] = {const_cast<char*>(text.data()), text.size()};
    }
    const auto sent = sendmsg(fd(), &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent >= 0) return static_cast<std::size_t>(sent);
    if (is_momentary(errno)) return std::size_t{0};
    return broken(errno);
  }

  bool wait(bool for_room, engine::Deadline until) override {
    const bool far = until > Clock::now() + kLongestRead;
    if (far && !for_room) {
      read(0);
      return true;
    }
    const short events = for_room ? POLLIN | POLLOUT : POLLIN;
    if (!poll_until(fd(), events, until)) return false;
    read(MSG_DONTWAIT);
    return true;
  }

  Result<std::string_view> read_some() override {
    if (error_ != 0) return broken(error_);
    if (ended_) return Failure(Errc::unavailable, "the server closed the connection");
    return std::string_view(buffer_.data(), std::exchange(size_, 0));
  }

  bool has_input_or_eof() const noexcept override {
    char byte;
    return recv(fd(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) >= 0 || !is_momentary(errno);
  }

  void shut_down() noexcept override { shutdown(fd(), SHUT_RDWR); }

  int fd() const noexcept override { return socket_.fd(); }

 private:
  void read(int flags) {
    const auto got = recv(fd(), buffer_.data(), buffer_.size(), flags);
    if (got > 0) {
      size_ = static_cast<std::size_t>(got);
    } else if (got == 0) {
      ended_ = true;
    } else if (!is_momentary(errno)) {
      error_ = errno;
    }
  }

  const Socket socket_;
  std::array<char, 16'384> buffer_;
  std::size_t size_ = 0;
  bool ended_ = false;
  int error_ = 0;
};

}  // namespace

Result<std::unique_ptr<Stream>> connect_stream(const Endpoint& endpoint,
                                               engine::Deadline until) {
  auto socket = connect_socket(endpoint, until);
  if (!socket) return std::move(socket).error();
  if (endpoint.tls.on) return shake_hands_tls(*std::move(socket), endpoint, until);
  return std::unique_ptr<Stream>(std::make_unique<PlainStream>(*std::move(socket)));
}

}  // namespace holdfast::redis
