// SPDX-License-Identifier: Apache-2.0

#include "run/supervisor.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <stop_token>

#include "exit_codes.h"
#include "holdfast/clock.h"
#include "run/cannot_run.h"
#include "run/tree.h"
#include "say.h"

namespace holdfast::cli {
namespace {

using namespace std::chrono_literals;
using Steady = std::chrono::steady_clock;

// A watchdog that is not stopped reports within this time that it ends the command.
constexpr Duration kAnswerTime = 1s;

int code_of(int status) {
  return WIFSIGNALED(status) ? kSignalled + WTERMSIG(status) : WEXITSTATUS(status);
}

// The clock is read first: if this process is stopped in between, the result is too
// early, not too late.
std::int64_t end_of_lease(const RunHold& held) {
  const auto now = Clock::now();
  return Timeout(held.valid_for()).deadline_from(now).time_since_epoch().count();
}

bool ends_by_time(const RunHold& held) { return held.valid_for() != Duration::max(); }

}  // namespace

Supervisor::Supervisor(const RunOptions& options, Watchdog& watchdog, RunHold& held,
                       int signals, std::vector<pid_t> spared)
    : options_(options),
      watchdog_(watchdog),
      held_(held),
      signals_(signals),
      spared_(std::move(spared)),
      lost_event_(
          require(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "watch over the lock")) {}

int Supervisor::run(std::string_view engine, int liveness_fd) noexcept {
  const auto since = Steady::now();
  Order order{.kind = Order::start, .token = held_.token().value};
  order.end = end_of_lease(held_);
  stopping_.emplace(options_.on_lost, options_.kill_after, Clock::now(),
                    Clock::time_point(Duration(order.end)));
  if (ends_by_time(held_)) {
    using std::chrono::milliseconds;
    order.ttl_ms = options_.lease.ttl != 0ms
                       ? options_.lease.ttl.count()
                       : std::chrono::ceil<milliseconds>(held_.valid_for()).count();
  }
  engine.copy(order.engine.data(), order.engine.size() - 1);

  End end{kInternal};
  {
    const std::stop_callback on_lost(held_.lost(), [this] {
      const std::uint64_t one = 1;
      (void)!write(lost_event_.get(), &one, sizeof one);
    });
    if (watchdog_.channel().send(order, liveness_fd)) {
      end = watch();
    } else {
      fail({Errc::internal,
            "the watchdog process is gone; the command was not started"});
      end.started = false;
    }
  }
  if (end.started && !lost_) keep_at_least(since);
  return give_back(end);
}

Supervisor::End Supervisor::watch() {
  for (;;) {
    std::array<pollfd, 3> ready{{{watchdog_.channel().fd(), POLLIN, 0},
                                 {signals_, POLLIN, 0},
                                 {told_ ? -1 : lost_event_.get(), POLLIN, 0}}};
    poll(ready.data(), ready.size(), poll_timeout());
    if (ready[0].revents != 0) {
      if (const auto end = read_report()) return *end;
    }
    if (ready[1].revents != 0) pass_on();
    if (!told_) tell_news(ready[2].revents != 0);
    if (ready[0].revents == 0 && watchdog_is_stuck(Clock::now())) return end_all();
  }
}

// Returns the timeout for poll(2): the time until the watchdog must be told of a
// renewal, or must have acted.
int Supervisor::poll_timeout() const {
  using std::chrono::milliseconds;
  auto span = milliseconds::max();
  if (ends_by_time(held_) && !told_) {
    span = std::clamp(std::chrono::duration_cast<milliseconds>(held_.valid_for()) / 6,
                      milliseconds(10), milliseconds(1000));
  }
  const auto due = std::min({stopping_->next(), stopping_->overdue(), answer_due_});
  if (due != Clock::time_point::max()) {
    const auto left = std::chrono::ceil<milliseconds>(due - Clock::now());
    span = std::clamp(left, milliseconds(0), std::min(span, milliseconds(1000)));
  }
  return span == milliseconds::max() ? -1 : static_cast<int>(span.count());
}

std::optional<Supervisor::End> Supervisor::read_report() {
  const auto report = watchdog_.channel().receive_report();
  if (!report) {
    fail({Errc::internal, "the watchdog process was killed; the command is ended"});
    kill_tree({}, spared_);
    return End{kInternal};
  }
  answered_ = true;
  if (report->lost) say_lost();
  if (report->kind == Report::losing) return std::nullopt;
  if (report->kind == Report::ended) return End{code_of(report->status)};
  return End{report_cannot_run(options_, report->status), false};
}

void Supervisor::pass_on() {
  signalfd_siginfo info{};
  if (read(signals_, &info, sizeof info) != sizeof info) return;
  // A signal from the terminal has reached the whole group by itself.
  const bool same_group = options_.foreground || isatty(STDIN_FILENO) != 0;
  if (same_group && info.ssi_code == SI_KERNEL) return;
  watchdog_.channel().send(
      Order{.kind = Order::signal, .signal_number = static_cast<int>(info.ssi_signo)});
}

void Supervisor::tell_news(bool lost) {
  if (lost || !held_.valid()) {
    tell_lost();
  } else if (ends_by_time(held_)) {
    tell_end();
  }
}

void Supervisor::tell_end() {
  const auto end = end_of_lease(held_);
  stopping_->extend(Clock::time_point(Duration(end)));
  watchdog_.channel().send(Order{.kind = Order::extend, .end = end});
}

void Supervisor::tell_lost() {
  told_ = true;
  say_lost();
  stopping_->tell_lost();
  watchdog_.channel().send(Order{.kind = Order::lost});
}

bool Supervisor::watchdog_is_stuck(Clock::time_point now) {
  if (stopping_->step(now) == Stopping::Step::signal) answer_due_ = now + kAnswerTime;
  if (answered_) answer_due_ = Clock::time_point::max();
  return now >= answer_due_ || now >= stopping_->overdue();
}

Supervisor::End Supervisor::end_all() {
  say_lost();
  say("the watchdog process is stopped; it is killed, and the command with it");
  watchdog_.kill();
  kill_tree({}, spared_);
  return End{kSignalled + SIGKILL};
}

std::string Supervisor::named() const {
  return std::string(options_.held) + " \"" + printable(options_.name) + "\"";
}

void Supervisor::say_lost() {
  if (std::exchange(lost_, true)) return;
  const bool goes_on = options_.on_lost == OnLost::warn;
  const bool ended = !options_.lease.renewed && stopping_->out_of_time(Clock::now());
  fail({.error = ended ? "lease_ended" : "lost",
        .message = named() +
                   (ended ? " has come to the end of its lease" : " was lost") +
                   "; the command " + (goes_on ? "goes on" : "is ended"),
        .exit_code =
            options_.preserve_status ? std::nullopt : std::optional<int>(kLost)});
}

void Supervisor::keep_at_least(Steady::time_point since) {
  const auto end = Timeout(options_.at_least);
  for (;;) {
    const auto left = end.span() - (Steady::now() - since);
    if (left <= Duration::zero() || !held_.valid()) return;
    pollfd interrupted{signals_, POLLIN, 0};
    const auto step = std::min<Duration>(left, 1s);
    const timespec span{0, static_cast<long>(std::min<Duration>(step, 999ms).count())};
    if (ppoll(&interrupted, 1, &span, nullptr) > 0) return;
  }
}

int Supervisor::status(const End& end, bool lost) const {
  return lost && end.started && !options_.preserve_status ? kLost : end.code;
}

int Supervisor::give_back(End end) {
  const auto released = held_.release();
  if (!released && released.error().code == Errc::not_held) {
    const int code = status(end, true);
    if (!lost_)
      fail({.error = "lost", .message = named() + " had been lost", .exit_code = code});
    return code;
  }
  const int code = status(end, lost_);
  if (!released) {
    fail({.error = error_word(released.error().code),
          .message = released.error().message(),
          .exit_code = code});
  }
  return code;
}

}  // namespace holdfast::cli
