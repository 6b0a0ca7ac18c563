// SPDX-License-Identifier: Apache-2.0

#include "engines/mysql/transport/call_deadline.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <cerrno>
#include <chrono>

#include "base/time_left.h"

namespace holdfast::mysql {
namespace {

using namespace std::chrono_literals;

thread_local engine::Deadline this_threads = engine::Deadline::max();

std::chrono::milliseconds left_until(engine::Deadline until) noexcept {
  return std::chrono::ceil<std::chrono::milliseconds>(base::time_left(until));
}

// Returns what the library's own function does: 1 if the socket is ready, 0 if the time
// is over.
int wait_for_socket(my_socket descriptor, my_bool is_read, int) {
  pollfd watched{descriptor, static_cast<short>(is_read ? POLLIN : POLLOUT), 0};
  for (;;) {
    const auto left = left_until(this_threads);
    const int ready = poll(&watched, 1, static_cast<int>(left.count()));
    if (ready > 0) return 1;
    if (ready == 0 && left < 1h) {
      errno = ETIMEDOUT;
      return 0;
    }
    if (ready < 0 && errno != EINTR) return -1;
  }
}

}  // namespace

CallDeadline::CallDeadline(engine::Deadline until) noexcept : outer_(this_threads) {
  this_threads = until;
}

CallDeadline::~CallDeadline() { this_threads = outer_; }

bool CallDeadline::is_over() noexcept { return Clock::now() >= this_threads; }

void CallDeadline::install(MYSQL* handle) noexcept {
  mysql_optionsv(handle, MARIADB_OPT_IO_WAIT, reinterpret_cast<void*>(wait_for_socket));
}

void CallDeadline::set_socket_timeouts(int descriptor,
                                       engine::Deadline until) noexcept {
  const auto left = std::max<std::chrono::milliseconds>(left_until(until), 1ms);
  const auto whole = std::chrono::duration_cast<std::chrono::seconds>(left);
  const std::chrono::microseconds rest = left - whole;
  const timeval span{static_cast<time_t>(whole.count()),
                     static_cast<suseconds_t>(rest.count())};
  (void)setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &span, sizeof span);
  (void)setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &span, sizeof span);
}

}  // namespace holdfast::mysql
