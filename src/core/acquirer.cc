#include "core/acquirer.h"

#include <algorithm>
#include <exception>
#include <utility>
#include <variant>

#include "core/gate.h"
#include "core/renewal_schedule.h"

namespace holdfast::core {
namespace {

using namespace std::chrono_literals;
using Time = Clock::time_point;

constexpr std::chrono::nanoseconds kShortestCall = 500ms;
constexpr std::chrono::nanoseconds kLongestPause = 500ms;
constexpr std::uint32_t kTokensToReserve = 32;

Time later(Time start, std::chrono::nanoseconds span) noexcept {
  return Timeout(span).deadline_from(start);
}

}  // namespace

Result<Grant> Acquirer::run() {
  if (stopped()) return Errc::cancelled;
  if (!want_.wait.is_zero()) until_ = want_.wait.deadline();

  Gate* const gate = want_.gate ? bound_->gate() : nullptr;
  if (gate == nullptr) return ask_safely();
  auto turn = gate->enter(want_.lease, want_.wait, until_, want_.stop);
  if (!turn) return std::move(turn).error();
  if (turn->handed) return *turn->handed;
  claim_.tokens = kTokensToReserve;
  auto grant = ask_safely();
  if (grant) {
    grant->turn = turn->number;
  } else {
    gate->leave(turn->number);
  }
  return grant;
}

Result<Grant> Acquirer::ask_safely() {
  try {
    return ask();
  } catch (const std::exception& error) {  // no memory, or no thread for the keeper
    return abandon(Failure(Errc::full, error.what()));
  }
}

// Where attempts are cheap, the first one has no waker and leaves no place: most
// callers then never touch a signal.
Result<Grant> Acquirer::ask() {
  const bool timed = terms_.timed(bound_->leased()) || claim_.tokens > 1;
  claim_.ticket = hub_.next_ticket();
  claim_.lease = terms_.lease;
  bool armed = (bound_->leased() || want_.tried) && !want_.wait.is_zero();
  placed_ = armed;
  if (armed) sleep_on_signal();

  for (;;) {
    const Time sent = timed ? Clock::now() : Time{};
    const auto verdict = bound_->resource().attempt(
        claim_, armed ? signal_->waker() : nullptr, call_deadline(sent));
    if (verdict) {
      trouble_.reset();
      if (const auto* granted = std::get_if<engine::Granted>(&*verdict)) {
        if (auto grant = accept(*granted, sent)) return *grant;
        continue;
      }
      if (want_.wait.is_zero()) return Errc::timed_out;
    } else {
      placed_ = true;  // perhaps
      if (auto why = endure(verdict.error())) return abandon(*std::move(why));
    }
    if (auto why = over()) return abandon(*std::move(why));
    if (!armed) {
      sleep_on_signal();
      armed = true;
      placed_ = true;
      continue;
    }
    const auto pause =
        trouble_ ? pause_ : std::get<engine::Blocked>(*verdict).retry_after;
    signal_->waker()->wait(std::min(until_, later(Clock::now(), pause)));
    if (auto why = over()) return abandon(*std::move(why));
  }
}

std::optional<Grant> Acquirer::accept(const engine::Granted& granted, Time sent) {
  Grant grant{.claim = claim_,
              .token = granted.token,
              .lease = granted.lease,
              .sent = sent,
              .since = sent,
              .spare_tokens = granted.tokens > 0 ? granted.tokens - 1 : 0};
  const bool over = granted.lease != engine::kNoLease &&
                    Clock::now() >= deadline_of(sent, granted.lease);
  if (!over) return grant;
  (void)give_up(bound_, claim_);
  claim_.ticket = hub_.next_ticket();
  return std::nullopt;
}

void Acquirer::sleep_on_signal() {
  signal_.emplace(hub_.signals().borrow());
  if (bound_->leased()) waiting_.emplace(hub_.keeper());
  if (want_.stop != nullptr && want_.stop->stop_possible()) {
    on_stop_.emplace(*want_.stop, Ring{signal_->waker().get()});
  }
}

// After an error: the reason to give up, if there is one. Those who wait without
// limit do so when the engine has not answered for as long as a lease.
std::optional<Failure> Acquirer::endure(const Failure& why) {
  if (!is_transient(why)) return why;
  const Time now = Clock::now();
  if (!trouble_) {
    trouble_since_ = now;
    pause_ = 10ms;
  } else {
    pause_ = std::min(pause_ * 2, kLongestPause);
  }
  trouble_ = why;
  if (want_.wait.is_zero()) return why;
  if (until_ == Time::max() && now - trouble_since_ >= hub_.ttl()) return why;
  return std::nullopt;
}

std::optional<Failure> Acquirer::over() const {
  if (!hub_.usable()) return hub_.why_unusable();
  if (stopped()) return Failure(Errc::cancelled);
  if (until_ == Time::max() || Clock::now() < until_) return std::nullopt;
  return trouble_ ? *trouble_ : Failure(Errc::timed_out);
}

Failure Acquirer::abandon(Failure why) {
  if (hub_.forked() || !placed_) return why;
  if (trouble_) {
    hub_.keeper().doom({bound_, claim_});
  } else {
    (void)give_up(bound_, claim_);
  }
  return why;
}

engine::Deadline Acquirer::call_deadline(Time now) const noexcept {
  if (!bound_->leased()) return until_;
  const auto shortest = std::min(kShortestCall, hub_.call_time());
  if (want_.wait.is_zero()) return later(now, shortest);
  return std::clamp(until_, later(now, shortest), later(now, hub_.call_time()));
}

}  // namespace holdfast::core
