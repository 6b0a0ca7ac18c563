// SPDX-License-Identifier: Apache-2.0

#include "run/watchdog_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "run/child.h"
#include "run/outer_hold.h"
#include "run/tree.h"

namespace holdfast::cli {
namespace {

using Step = Stopping::Step;
using Time = Clock::time_point;

void drain(const Descriptor& fd) {
  std::array<char, 512> bytes;
  (void)!read(fd.get(), bytes.data(), bytes.size());
}

}  // namespace

WatchdogProcess::WatchdogProcess(const RunOptions& options, const Inherited& signals,
                                 pid_t supervisor_group, Channel channel)
    : options_(options), signals_(signals), channel_(std::move(channel)) {
  // The watchdog is in a group of its own, out of reach of the terminal's signals, and
  // blocks every signal that can be blocked.
  setpgid(0, 0);
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, nullptr);
  prctl(PR_SET_NAME, "holdfast-watch");
  become_reaper();

  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  child_ended_ = Descriptor(signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK));
  timer_ = Descriptor(timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK));
  if (!child_ended_ || !timer_) why_blind_ = errno;
  const bool foreground = options.foreground || isatty(STDIN_FILENO) != 0;
  group_ = foreground ? supervisor_group : 0;
}

void WatchdogProcess::run() noexcept {
  errno = 0;
  const auto order = channel_.receive_order(liveness_fd_);
  if (!order && errno == EMFILE) finish({Report::cannot_run, errno, false});
  if (!order) _exit(0);
  if (why_blind_ != 0) finish({Report::cannot_run, why_blind_, false});
  start(*order);
  for (;;) {
    set_timer();
    std::array<pollfd, 3> ready{{{child_ended_.get(), POLLIN, 0},
                                 {timer_.get(), POLLIN, 0},
                                 {channel_.fd(), POLLIN, 0}}};
    poll(ready.data(), ready.size(), -1);
    if (ready[0].revents != 0) look_after();
    if (ready[1].revents != 0) drain(timer_);
    if (ready[2].revents != 0) {
      Descriptor none;
      if (const auto next = channel_.receive_order(none)) {
        obey(*next);
      } else {
        channel_.close();
        stopping_->tell_orphaned();
      }
    }
    act(stopping_->step(Clock::now()));
  }
}

void WatchdogProcess::start(const Order& order) {
  std::array<int, 2> ends{-1, -1};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) finish({Report::cannot_run, errno, false});
  Descriptor lost_end(ends[0]);
  lost_pipe_ = Descriptor(ends[1]);

  stopping_.emplace(options_.on_lost, options_.kill_after, Clock::now(),
                    Time(Duration(order.end)));
  auto environment = outer_hold_variables(options_, getpid());
  environment.emplace_back("HOLDFAST_TOKEN", std::to_string(order.token));
  environment.emplace_back("HOLDFAST_TTL_MS", std::to_string(order.ttl_ms));
  environment.emplace_back("HOLDFAST_ENGINE", order.engine.data());
  const Started started =
      start_child({.command = options_.command,
                   .environment = std::move(environment),
                   .group = group_,
                   .lost_fd = lost_end.get(),
                   .liveness_fd = options_.close ? -1 : liveness_fd_.get(),
                   .signals = signals_});
  if (started.error != 0) finish({Report::cannot_run, started.error, false});
  command_ = started.pid;
}

void WatchdogProcess::obey(const Order& order) {
  switch (order.kind) {
    case Order::extend:
      return stopping_->extend(Time(Duration(order.end)));
    case Order::lost:
      return stopping_->tell_lost();
    case Order::signal:
      return signal_command(order.signal_number);
    case Order::start:
      return;
  }
}

void WatchdogProcess::look_after() {
  drain(child_ended_);
  const bool some_left = reap([this](pid_t pid, int status) {
    if (pid == command_) status_ = status;
  });
  // Processes that the command leaves behind are left alone, unless they have to end
  // with the lock.
  if (status_ && (!some_left || !stopping_->ending())) {
    finish({Report::ended, *status_, stopping_->lost()});
  }
}

void WatchdogProcess::act(Step step) {
  if (step == Step::none) return;
  lost_pipe_.reset();
  channel_.send({Report::losing, 0, true});
  if (step == Step::signal) {
    if (!signal_tree(options_.signal)) signal_command(options_.signal);
    if (!signal_tree(SIGCONT)) signal_command(SIGCONT);
  }
  if (step == Step::kill) {
    signal_command(SIGKILL);  // Without /proc, no other process can be reached.
    kill_tree([this](pid_t pid, int status) {
      if (pid == command_) status_ = status;
    });
    finish({Report::ended, status_.value_or(SIGKILL), true});
  }
}

void WatchdogProcess::signal_command(int number) {
  if (status_) return;
  // A group of the command's own is signalled as a whole; in ours there may be other
  // processes.
  kill(group_ == 0 ? -command_ : command_, number);
}

void WatchdogProcess::set_timer() {
  const Time next = stopping_->next();
  itimerspec at{};
  if (next != Time::max()) {
    const auto since = std::max(next.time_since_epoch(), Duration(1));
    at.it_value.tv_sec = since / std::chrono::seconds(1);
    at.it_value.tv_nsec = (since % std::chrono::seconds(1)).count();
  }
  timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &at, nullptr);
}

void WatchdogProcess::finish(const Report& report) {
  channel_.send(report);
  _exit(0);
}

}  // namespace holdfast::cli
