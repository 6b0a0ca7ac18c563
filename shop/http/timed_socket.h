// SPDX-License-Identifier: Apache-2.0

// shop/http/timed_socket.h - a connected socket whose reads and writes end in time.
//
// It has the two members that Beast asks of a stream that blocks. The sockets of Asio
// would do, but their blocking calls know no time limit.

#pragma once

#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/system/error_code.hpp>
#include <cerrno>
#include <chrono>

namespace holdfast::shop {

// The descriptor stays the caller's.
class TimedSocket {
 public:
  using Clock = std::chrono::steady_clock;
  using Code = boost::system::error_code;

  explicit TimedSocket(int fd) : fd_(fd) {}

  void expires_after(std::chrono::milliseconds time) {
    deadline_ = Clock::now() + time;
  }

  // Returns whether there is something to read before the deadline.
  bool await_input() const { return await(POLLIN); }

  template <class Buffers>
  std::size_t read_some(const Buffers& buffers, Code& code) {
    return transfer(buffers, code, POLLIN, [this](msghdr& message) {
      return recvmsg(fd_, &message, MSG_DONTWAIT);
    });
  }

  template <class Buffers>
  std::size_t write_some(const Buffers& buffers, Code& code) {
    return transfer(buffers, code, POLLOUT, [this](msghdr& message) {
      return sendmsg(fd_, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    });
  }

  // Says that nothing more will come, and reads what the other side still sends, up to
  // the deadline and a megabyte. A socket that is closed with bytes unread takes back
  // the last answer, too.
  void finish() {
    shutdown(fd_, SHUT_WR);
    std::array<char, 4096> ignored;
    Code code;
    for (int reads = 0; reads < 256 && !code; ++reads) {
      read_some(boost::asio::buffer(ignored), code);
    }
  }

  // Beast's interface has these, too, and does not call them here.
  template <class Buffers>
  std::size_t read_some(const Buffers& buffers) {
    return thrown(&TimedSocket::read_some<Buffers>, buffers);
  }
  template <class Buffers>
  std::size_t write_some(const Buffers& buffers) {
    return thrown(&TimedSocket::write_some<Buffers>, buffers);
  }

 private:
  template <class Method, class Buffers>
  std::size_t thrown(Method method, const Buffers& buffers) {
    Code code;
    const std::size_t count = (this->*method)(buffers, code);
    if (code) throw boost::system::system_error(code);
    return count;
  }

  bool await(short event) const {
    for (;;) {
      const auto left =
          std::chrono::ceil<std::chrono::milliseconds>(deadline_ - Clock::now());
      if (left.count() <= 0) return false;
      pollfd entry{.fd = fd_, .events = event, .revents = 0};
      const int ready = poll(&entry, 1, static_cast<int>(left.count()));
      if (ready > 0) return true;
      if (ready < 0 && errno != EINTR) return false;
    }
  }

  // A message of Beast is a few dozen buffers: as many as there is room for go at once.
  template <class Buffers, class Call>
  std::size_t transfer(const Buffers& buffers, Code& code, short event, Call call) {
    code = {};
    std::array<iovec, 64> parts;
    std::size_t used = 0;
    const auto end = boost::asio::buffer_sequence_end(buffers);
    for (auto at = boost::asio::buffer_sequence_begin(buffers);
         at != end && used < parts.size(); ++at) {
      const auto buffer = *at;
      if (buffer.size() != 0)
        parts[used++] = {const_cast<void*>(buffer.data()), buffer.size()};
    }
    if (used == 0) return 0;
    msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = used;
    for (;;) {
      const ssize_t count = call(message);
      const int why = errno;
      if (count > 0) return static_cast<std::size_t>(count);
      if (count == 0) {
        code = boost::asio::error::eof;
      } else if (why == EINTR || (why == EAGAIN && await(event))) {
        continue;
      } else if (why == EAGAIN) {
        code = boost::asio::error::timed_out;
      } else {
        code = Code(why, boost::system::system_category());
      }
      return 0;
    }
  }

  const int fd_;
  Clock::time_point deadline_ = Clock::time_point::max();
};

}  // namespace holdfast::shop
