// SPDX-License-Identifier: Apache-2.0

#include "engines/mysql/lock.h"

#include <algorithm>
#include <utility>

#include "base/common_failures.h"
#include "base/pause.h"
#include "engines/mysql/transport/sql.h"

namespace holdfast::mysql {

using engine::Claim;
using engine::Deadline;
using engine::Verdict;
using namespace std::chrono_literals;

namespace {

// The row is free: the thread that waits for the bell is about to have it.
constexpr auto kWakeGrace = 20ms;
constexpr std::chrono::nanoseconds kReadFirst = 100ms;  // then it is shown as a waiter
constexpr std::chrono::nanoseconds kReadAgain = 2s;
constexpr std::chrono::nanoseconds kReadSoon = 200ms;  // when no bell will wake it

}  // namespace

void LockClaimState::add_to(Args& args, bool new_epoch) const {
  args << tokens - 1 << owner << lease << holder << epoch + (new_epoch ? 1 : 0)
       << resource << epoch;
}

Result<Verdict> LockResource::attempt(const Claim& claim, const engine::Waker& waker,
                                      Deadline until) {
  const auto asked = Clock::now();
  const auto state = claims_.find_or_add(claim.ticket);
  for (;;) {
    if (state->wait != nullptr) take_outcome(*state);
    if (state->granted) {
      (void)hide(*state, until);
      publish(claim.ticket, *state, state->resource);
      return Verdict(granted(*state, asked));
    }
    const bool is_first = state->owner.empty();
    if (auto ready = prepare(*state, claim, until); !ready) {
      if (!state->in_doubt) claims_.erase(claim.ticket);
      return std::move(ready).error();
    }
    if (is_first) {
      state->epoch = row().epoch();
      state->tokens = std::max(claim.tokens, 1U);
    }
    const auto found = take_or_read(*state, waker != nullptr, until);
    if (!found) return found.error();
    if (state->granted) continue;
    if (found->again) {
      if (Clock::now() < until) continue;
      return base::changed_by_others(base::in_quotes(row().name()));
    }
    if (waker == nullptr) {
      if (auto left = give_up(*state, until); !left) return std::move(left).error();
      claims_.erase(claim.ticket);
      return Verdict(engine::Blocked{1s});
    }
    const auto armed = arm(*state, waker, until);
    if (!armed.has_value()) return armed.error();
    if (!*armed) continue;
    if (auto shown = show(*state, until); !shown) return std::move(shown).error();
    return Verdict(engine::Blocked{pause(*state, *found)});
  }
}

// A caller that may wait blocks in GET_LOCK first and reads the row only if that takes
// more than 100 ms. It does not even try to take a contended row before: that would
// fail nearly always, and while it fails it keeps the row from the client whose turn it
// is. The row is taken under a new epoch in three cases: the owner's lease has expired;
// the row has stayed free although a waiter was woken for it; or the caller does not
// wait.
Result<LockResource::RowState> LockResource::take_or_read(LockClaimState& state,
                                                          bool can_wait,
                                                          Deadline until) {
  const bool waits = state.wait != nullptr || state.no_listener;
  if (!waits || (state.no_listener && !state.tried)) {
    const bool first = state.waits == 0 && !state.bell.is_held() && !state.in_doubt;
    const bool may_wait = can_wait && first && !state.no_listener;
    if (may_wait && backend().has_bells() && row().is_contended()) return RowState{};
    state.tried = true;
    const auto taken = take(state, false, until);
    if (!taken.has_value()) return taken.error();
    if (*taken) {
      row().was_free();
      return RowState{};
    }
    row().was_taken();
    if (may_wait) return RowState{};
  }
  auto found = read(state, until);
  if (!found || state.granted || found->again) return found;
  if (state.wait != nullptr && found->is_free()) {
    state.wait->wait_until_over(std::min(until, Clock::now() + kWakeGrace));
    take_outcome(state);
    if (state.granted || state.wait == nullptr) return RowState{.again = true};
  }
  const bool stays_free = !can_wait || (waits && state.was_free);
  state.was_free = found->is_free();
  if (found->is_abandoned() || (found->is_free() && stays_free)) {
    if (auto stopped = stop_waiting(state, until); !stopped) {
      return std::move(stopped).error();
    }
    if (state.granted) return found;
    const auto taken = take(state, true, until);
    if (!taken.has_value()) return taken.error();
    found->again = !*taken;
  }
  return found;
}

Result<bool> LockResource::take(LockClaimState& state, bool new_epoch, Deadline until) {
  if (new_epoch) release_bell(state);
  state.bell.forget_if_cut();
  auto connection = state.bell.is_held()
                        ? backend().pool().lend(state.bell.connection(), until)
                        : backend().pool().lend(until);
  if (!connection) return std::move(connection).error();
  const bool with_bell = backend().has_bells() && !state.bell.is_held();
  std::string bell = bell_of(state, new_epoch);
  Args args;
  state.add_to(args, new_epoch);
  if (with_bell) args << bell;
  const auto asked = Clock::now();
  auto answer =
      (*connection)->run(with_bell ? sql::kTake : sql::kTakeSilently, args, until);
  if (!answer) {
    if (answer.error().code == Errc::outcome_unknown) state.in_doubt = true;
    return std::move(answer).error();
  }
  if (answer->matched == 0) return false;
  state.granted = true;
  state.token = {answer->id};
  state.granted_at = asked;
  if (new_epoch) ++state.epoch;
  row().remember_epoch(state.epoch);
  if (with_bell) state.bell.taken(std::move(bell), connection->share());
  return true;
}

// A row that names this claim as its owner was taken by a statement whose answer was
// lost. A new epoch has a new bell, so the wait for the old one ends.
Result<LockResource::RowState> LockResource::read(LockClaimState& state,
                                                  Deadline until) {
  const auto asked = Clock::now();
  auto answer = backend().run(sql::kReadRow, Args(state.resource), until);
  if (!answer) return Failure(Errc::unavailable, answer.error().context);
  if (answer->rows.empty() ||
      answer->rows.front()[3].number != number_of(row().kind())) {
    row().forget();
    return RowState{.again = true};
  }
  const Row& cells = answer->rows.front();
  const std::uint64_t epoch = cells[4].count();
  RowState found{
      .again = false, .owned = cells[5].number != 0, .left = cells[1].span()};
  if (cells[0].text == state.owner && !found.is_free()) {
    state.granted = true;
    state.token = {cells[2].count()};
    state.granted_at = asked - std::max(state.lease - found.left, 0us);
    state.epoch = epoch;
    return found;
  }
  if (epoch != state.epoch) {
    release_bell(state);
    if (auto stopped = stop_waiting(state, until); !stopped) {
      return std::move(stopped).error();
    }
    if (state.granted) return found;
    state.epoch = epoch;
    row().remember_epoch(epoch);
    found.again = found.is_free();
  }
  return found;
}

Result<bool> LockResource::arm(LockClaimState& state, const engine::Waker& waker,
                               Deadline until) {
  if (state.bell.is_held() || state.wait != nullptr || state.watch != nullptr) {
    return true;
  }
  if (backend().has_bells() && !state.no_listener) {
    wait_for_bell(state, waker);
    if (state.wait != nullptr) return true;
    state.no_listener = true;
  }
  if (auto watched = watch_by_poller(state, waker, until); !watched) {
    return std::move(watched).error();
  }
  return false;
}

// The thread that has waited for the bell also takes the row, while the thread that
// wants it is still being woken.
void LockResource::wait_for_bell(LockClaimState& state, const engine::Waker& waker) {
  const auto take = [ours = state](Pool::Lent& connection,
                                   bool at_once) -> BellWait::Outcome {
    Args args;
    ours.add_to(args, false);
    const auto asked = Clock::now();
    const auto taken = connection->run(sql::kTakeSilently, args, asked + 5s);
    if (!taken) {
      const bool lost = taken.error().code == Errc::outcome_unknown;
      connection->cut();
      return {.state = lost ? BellWait::State::in_doubt : BellWait::State::failed};
    }
    ++connection->bells;
    return {
        .state = taken->matched > 0 ? BellWait::State::granted : BellWait::State::rung,
        .connection = connection.share(),
        .token = {taken->id},
        .asked = asked,
        .at_once = at_once};
  };
  state.wait = backend().bell_threads().start(waker, bell_of(state),
                                              BellThreads::After::keep, take);
}

void LockResource::take_outcome(LockClaimState& state) {
  const BellWait::Outcome outcome = state.wait->outcome();
  switch (outcome.state) {
    case BellWait::State::waiting:
      return;
    case BellWait::State::failed:
      state.no_listener = ++state.failures >= BellThreads::kTries;
      break;
    case BellWait::State::rung:
      state.bell.adopt(bell_of(state), outcome.connection);
      break;
    case BellWait::State::granted:
      state.bell.adopt(bell_of(state), outcome.connection);
      state.granted = true;
      state.token = outcome.token;
      state.granted_at = outcome.asked;
      if (outcome.at_once) {
        row().was_free();
      } else if (!state.tried) {
        row().was_taken();
      }
      break;
    case BellWait::State::in_doubt:
      state.in_doubt = true;
      break;
  }
  state.wait.reset();
}

Result<void> LockResource::stop_waiting(LockClaimState& state, Deadline until) {
  if (state.wait == nullptr) return {};
  if (auto stopped = stop_wait(state, until); !stopped) return stopped;
  take_outcome(state);
  state.wait.reset();
  return {};
}

// The caller is woken by the bell or the poller. Without either, or if the row is free
// and the waiter that was woken for it may not come, it reads the row again soon; and
// in any case when the holder's time is over.
std::chrono::nanoseconds LockResource::pause(const LockClaimState& state,
                                             const RowState& found) const {
  const bool is_woken = state.wait != nullptr || state.watch != nullptr;
  if (!is_woken || found.is_free()) return base::jittered(kReadSoon);
  const auto most = state.waits < 2 ? kReadFirst : kReadAgain;
  return std::min<std::chrono::nanoseconds>(base::jittered(most), found.left + 1ms);
}

// A waiter gets a row that observers see only when it waits for the second time, so
// that a short wait writes nothing. It first removes the rows of waiters that ended
// without removing theirs.
Result<void> LockResource::show(LockClaimState& state, Deadline until) {
  if (++state.waits < 2) return {};
  const auto now = Clock::now();
  if (state.shown != 0 && now - state.shown_at < backend().keepalive_interval() / 2)
    return {};
  Args args;
  if (state.shown != 0) {
    args << kWaiterLease << state.resource << state.shown;
  } else {
    (void)backend().run(sql::kPurge, Args(state.resource), until);
    args << state.owner << std::uint32_t{1} << std::uint32_t{1} << std::uint32_t{0}
         << kWaiterLease << state.holder << state.resource << number_of(row().kind())
         << state.epoch;
  }
  state.showing = true;
  auto shown = backend().run(state.shown != 0 ? sql::kRenewWaiter : sql::kEnterSilently,
                             args, until);
  if (!shown) {
    if (shown.error().code == Errc::outcome_unknown) state.in_doubt = true;
    return Failure(Errc::unavailable, shown.error().context);
  }
  if (state.shown == 0 || shown->matched == 0) state.shown = shown->id;
  state.shown_at = now;
  return {};
}

Result<void> LockResource::hide(LockClaimState& state, Deadline until) {
  if (!state.showing) return {};
  auto hidden = backend().run(sql::kHide, Args(state.resource, state.owner), until);
  if (!hidden) return std::move(hidden).error();
  state.showing = false;
  state.shown = 0;
  return {};
}

Result<void> LockResource::give_up(LockClaimState& state, Deadline until) {
  state.watch.reset();
  if (auto stopped = stop_waiting(state, until); !stopped) return stopped;
  if (state.in_doubt) {
    auto released =
        backend().run(sql::kReleaseInDoubt, Args(state.owner, state.resource), until);
    if (!released) return std::move(released).error();
    release_bell(state);
    return hide(state, until);
  }
  if (auto hidden = hide(state, until); !hidden && !state.granted) return hidden;
  if (state.granted) {
    return end_by(sql::kRelease, sql::kReleaseSilently, state, until);
  }
  release_bell(state);
  return {};
}

Result<void> LockResource::renew(const Claim& claim, Deadline until) {
  const auto ours = held_claim(claim.ticket);
  if (ours == nullptr) return Errc::not_held;
  const Args args(backend().lease_of(claim), ours->id, ours->owner);
  return renew_by(sql::kRenew, args, claim.ticket, ours, HoldMonitor::Table::resource,
                  until);
}

Result<engine::Granted> LockResource::amend(const Claim& held, const Claim& wanted,
                                            Deadline until) {
  const auto state = claims_.find(held.ticket);
  if (state == nullptr || !state->granted) return Errc::not_held;
  const auto asked = Clock::now();
  const auto lease = backend().lease_of(wanted);
  const std::string identity = holder_of(wanted).payload;
  const Args args(lease, identity, state->resource, state->owner);
  auto amended = backend().run(sql::kRename, args, until, state->bell.connection());
  if (!amended) return std::move(amended).error();
  if (amended->matched == 0) return lost(held.ticket);
  state->lease = lease;
  state->granted_at = asked;
  return granted(*state, asked);
}

std::string LockResource::bell_of(const LockClaimState& state, bool new_epoch) const {
  return backend().names().bell_of(state.resource, state.epoch + (new_epoch ? 1 : 0));
}

}  // namespace holdfast::mysql
