#include "run/supervisor.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <stop_token>

#include "exit_codes.h"
#include "holdfast/clock.h"
#include "run/tree.h"
#include "say.h"

namespace holdfast::cli {
namespace {

using namespace std::chrono_literals;
using Steady = std::chrono::steady_clock;

int code_of(int status) {
  return WIFSIGNALED(status) ? kSignalled + WTERMSIG(status) : WEXITSTATUS(status);
}

// The clock is read first: if we are stopped in between, the result is too early, not
// too late.
std::int64_t end_of_lease(const Held& held) {
  const auto now = Clock::now();
  return Timeout(held.valid_for()).deadline_from(now).time_since_epoch().count();
}

bool ends_by_time(const Held& held) { return held.valid_for() != Duration::max(); }

}  // namespace

Supervisor::Supervisor(const RunOptions& options, Warden& warden, Held& held,
                       int signals, std::vector<pid_t> spared)
    : options_(options),
      warden_(warden),
      held_(held),
      signals_(signals),
      spared_(std::move(spared)),
      lost_event_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

int Supervisor::run(std::string_view engine, int witness) noexcept {
  const auto since = Steady::now();
  Order order{.kind = Order::start, .token = held_.token().value};
  order.end = end_of_lease(held_);
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
    if (warden_.channel().send(order, witness)) {
      end = watch();
    } else {
      say("the warden process is gone; the command was not started");
      end.started = false;
    }
  }
  if (end.started && !lost_) keep_at_least(since);
  return give_back(end);
}

Supervisor::End Supervisor::watch() {
  bool told = false;
  const int period = static_cast<int>(std::clamp<std::int64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(held_.valid_for()).count() /
          6,
      10, 1000));
  for (;;) {
    std::array<pollfd, 3> ready{{{warden_.channel().fd(), POLLIN, 0},
                                 {signals_, POLLIN, 0},
                                 {told ? -1 : lost_event_.get(), POLLIN, 0}}};
    poll(ready.data(), ready.size(), ends_by_time(held_) && !told ? period : -1);
    if (ready[0].revents != 0) {
      if (const auto end = hear()) return *end;
    }
    if (ready[1].revents != 0) pass_on();
    if (told) continue;
    if (ready[2].revents != 0 || !held_.valid()) {
      told = true;
      say_lost();
      warden_.channel().send(Order{.kind = Order::lost});
    } else if (ends_by_time(held_)) {
      tell_end();
    }
  }
}

std::optional<Supervisor::End> Supervisor::hear() {
  const auto report = warden_.channel().receive_report();
  if (!report) {
    say("the warden process was killed; the command is ended");
    kill_tree({}, spared_);
    return End{kInternal};
  }
  if (report->lost) say_lost();
  if (report->kind == Report::losing) return std::nullopt;
  if (report->kind == Report::ended) return End{code_of(report->status)};
  say("cannot run " + printable(options_.command.front()) + ": " +
      std::strerror(report->status));
  return End{report->status == ENOENT ? kNotFound : kCannotRun, false};
}

void Supervisor::pass_on() {
  signalfd_siginfo info{};
  if (read(signals_, &info, sizeof info) != sizeof info) return;
  // From the terminal it reached the whole group by itself.
  const bool same_group = options_.foreground || isatty(STDIN_FILENO) != 0;
  if (same_group && info.ssi_code == SI_KERNEL) return;
  warden_.channel().send(
      Order{.kind = Order::signal, .signal_number = static_cast<int>(info.ssi_signo)});
}

void Supervisor::tell_end() {
  warden_.channel().send(Order{.kind = Order::extend, .end = end_of_lease(held_)});
}

std::string Supervisor::named() const {
  return std::string(options_.held) + " \"" + printable(options_.name) + "\"";
}

void Supervisor::say_lost() {
  if (std::exchange(lost_, true)) return;
  say(named() + " was lost; " +
      (options_.on_lost == OnLost::warn ? "the command goes on"
                                        : "the command is ended"));
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

int Supervisor::give_back(End end) {
  const auto released = held_.release();
  if (!released && released.error().code == Errc::not_held) {
    if (!lost_) say(named() + " had been lost");
    lost_ = true;
  } else if (!released) {
    say(released.error().message());
  }
  if (lost_ && end.started && !options_.preserve_status) return kLost;
  return end.code;
}

}  // namespace holdfast::cli
