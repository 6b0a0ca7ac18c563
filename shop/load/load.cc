// SPDX-License-Identifier: Apache-2.0

#include "load/load.h"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <utility>
#include <vector>

#include "errors.h"
#include "http/loopback.h"
#include "load/answer.h"

namespace holdfast::shop {
namespace {

using LoadClock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kBetweenLooks{50};

// Returns the number behind "retries": in the answer of a shop.
std::uint64_t retries_in(std::string_view body) {
  constexpr std::string_view kKey = "\"retries\":";
  const std::size_t at = body.find(kKey);
  std::uint64_t number = 0;
  if (at != body.npos) {
    const char* const start = body.data() + at + kKey.size();
    std::from_chars(start, body.data() + body.size(), number);
  }
  return number;
}

class User {
 public:
  int fd = -1;
  int to_send = 0;
  bool waiting = false;  // for an answer
  LoadClock::time_point sent_at;
  std::string received;
};

class Crowd {
 public:
  Crowd(const LoadOptions& options, const LoadObserver& observer)
      : options_(options),
        observer_(observer),
        request_("POST " + options.target +
                 " HTTP/1.1\r\nHost: shop\r\nContent-Length: 0\r\n\r\n"),
        epoll_(epoll_create1(EPOLL_CLOEXEC)),
        users_(static_cast<std::size_t>(options.users)) {}
  Crowd(const Crowd&) = delete;
  Crowd& operator=(const Crowd&) = delete;
  ~Crowd() {
    for (const User& user : users_) {
      if (user.fd >= 0) close(user.fd);
    }
    close(epoll_);
  }

  LoadResult run() {
    for (User& user : users_) {
      user.to_send = options_.requests;
      open(user);
    }
    start_ = last_answer_ = LoadClock::now();
    next_look_ = start_ + kBetweenLooks;
    for (User& user : users_) send_next(user);
    while (waiting_ > 0 &&
           LoadClock::now() < start_ + options_.limit + options_.grace) {
      take_answers();
      look();
    }
    result_.unanswered = static_cast<std::uint64_t>(waiting_);
    for (const User& user : users_) result_.cut = result_.cut || user.to_send > 0;
    result_.cut = result_.cut || waiting_ > 0;
    count_time();
    return result_;
  }

 private:
  void open(User& user) {
    user.fd = connect_to_loopback(options_.port);
    epoll_event event{.events = EPOLLIN, .data = {.ptr = &user}};
    epoll_ctl(epoll_, EPOLL_CTL_ADD, user.fd, &event);
  }

  void reopen(User& user) {
    close(std::exchange(user.fd, -1));
    user.received.clear();
    open(user);
  }

  void send_next(User& user) {
    if (user.to_send == 0 || LoadClock::now() >= start_ + options_.limit) return;
    --user.to_send;
    user.sent_at = LoadClock::now();
    user.waiting = true;
    ++waiting_;
    const ssize_t size = send(user.fd, request_.data(), request_.size(), MSG_NOSIGNAL);
    if (size > 0) result_.bytes_sent += static_cast<std::uint64_t>(size);
    // A connection that has broken is found by the next read.
  }

  void take_answers() {
    std::array<epoll_event, 128> events;
    const int count = epoll_wait(epoll_, events.data(), events.size(),
                                 static_cast<int>(kBetweenLooks.count()));
    for (int i = 0; i < count; ++i) {
      read_from(*static_cast<User*>(events[static_cast<std::size_t>(i)].data.ptr));
    }
  }

  void read_from(User& user) {
    std::array<char, 4096> buffer;
    const ssize_t size = recv(user.fd, buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (size <= 0) return break_off(user);
    result_.bytes_received += static_cast<std::uint64_t>(size);
    user.received.append(buffer.data(), static_cast<std::size_t>(size));
    const Answer answer = read_answer(user.received);
    if (answer.broken) return break_off(user);
    if (answer.length == 0) return;
    count(user, answer);
    user.received.erase(0, answer.length);
    if (!answer.keep_alive) reopen(user);
    send_next(user);
  }

  // An idle connection may be closed by the server; a request that was sent on it
  // fails.
  void break_off(User& user) {
    if (std::exchange(user.waiting, false)) {
      --waiting_;
      ++result_.errors;
      last_answer_ = LoadClock::now();
    }
    if (user.to_send == 0) {
      close(std::exchange(user.fd, -1));
      return;
    }
    reopen(user);
    send_next(user);
  }

  void count(User& user, const Answer& answer) {
    if (!std::exchange(user.waiting, false)) return;
    --waiting_;
    last_answer_ = LoadClock::now();
    if (answer.status != 200) {
      if (result_.errors++ == 0) result_.first_error = answer.body;
      return;
    }
    result_.latency.record(
        std::chrono::duration_cast<Histogram::Micros>(last_answer_ - user.sent_at));
    const bool sold_out = answer.body.find("\"sold_out\"") != answer.body.npos;
    ++(sold_out ? result_.sold_out : result_.sold);
    result_.retries += retries_in(answer.body);
  }

  void count_time() {
    result_.seconds = std::chrono::duration<double>(last_answer_ - start_).count();
  }

  void look() {
    if (!observer_ || LoadClock::now() < next_look_) return;
    next_look_ = LoadClock::now() + kBetweenLooks;
    count_time();
    observer_(result_);
  }

  const LoadOptions& options_;
  const LoadObserver& observer_;
  const std::string request_;
  const int epoll_;
  std::vector<User> users_;
  int waiting_ = 0;
  LoadClock::time_point start_;
  LoadClock::time_point last_answer_;
  LoadClock::time_point next_look_;
  LoadResult result_;
};

}  // namespace

LoadResult run_load(const LoadOptions& options, const LoadObserver& observer) {
  return Crowd(options, observer).run();
}

}  // namespace holdfast::shop
