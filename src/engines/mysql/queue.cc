// SPDX-License-Identifier: Apache-2.0

#include "engines/mysql/queue.h"

#include <algorithm>
#include <utility>

#include "base/common_failures.h"
#include "base/pause.h"
#include "base/transient.h"
#include "engines/mysql/transport/sql.h"

namespace holdfast::mysql {

using engine::Claim;
using engine::Deadline;
using engine::Kind;
using engine::Mode;
using engine::Verdict;
using namespace std::chrono_literals;

namespace {

// The time of a waiter whose bell was lost. It is longer than the longest time until a
// waiter that lives writes its row again.
constexpr std::chrono::microseconds kLostBellLease = 6s;

// Returns the number of the mode in the column `mode`.
std::uint32_t column_of(Mode mode) noexcept { return mode == Mode::shared ? 2 : 1; }

}  // namespace

Result<Verdict> QueueResource::attempt(const Claim& claim, const engine::Waker& waker,
                                       Deadline until) {
  const auto asked = Clock::now();
  const auto state = claims_.find_or_add(claim.ticket);
  for (;;) {
    if (state->granted) {
      publish(claim.ticket, *state, state->id);
      engine::Granted grant = granted(*state, asked);
      grant.capacity = state->capacity;
      return Verdict(grant);
    }
    auto done = step(*state, claim, waker, until);
    if (!done) {
      if (!base::is_transient(done.error())) (void)drop(claim, until);
      return std::move(done).error();
    }
    if (*done) {
      if (waker == nullptr) {
        auto left = give_up(*state, until);
        if (!left && left.error().code != Errc::not_held)
          return std::move(left).error();
        claims_.erase(claim.ticket);
      }
      return **std::move(done);
    }
    if (Clock::now() >= until && !state->granted) {
      return base::changed_by_others(base::in_quotes(row().name()));
    }
  }
}

Result<QueueResource::Step> QueueResource::step(QueueClaimState& state,
                                                const Claim& claim,
                                                const engine::Waker& waker,
                                                Deadline until) {
  const auto known = state.resource;
  if (auto ready = prepare(state, claim, until); !ready) {
    return std::move(ready).error();
  }
  if (state.resource != known) start_again(state);
  if (state.wait != nullptr) take_outcome(state);
  if (state.id == 0) {
    if (auto in = enter(state, claim, until); !in) return std::move(in).error();
  }
  const auto queue = read(state, until);
  if (!queue) return queue.error();
  if (!queue->is_in()) {
    start_again(state);
    return Step{};
  }
  if (row().kind() == Kind::semaphore) state.capacity = queue->capacity();
  const QueuedClaim& own = queue->claims[queue->own];
  if (own.entry.granted) {
    if (auto in = accept(state, own, until); !in) return std::move(in).error();
    return Step{};
  }
  const auto most = capacity(*queue, claim, until);
  if (!most) return most.error();
  if (!*most) return Step{};
  if (queue->admits(row().kind(), **most)) {
    if (auto in = grant(state, *queue, until); !in) return std::move(in).error();
    return Step{};
  }
  const QueuedClaim* const obstacle = queue->obstacle(row().kind(), **most);
  const auto shortened = shorten_waiter_lease(state, obstacle, until);
  if (!shortened.has_value()) return shortened.error();
  if (*shortened) return Step{};
  std::chrono::nanoseconds pause = base::jittered(backend().keepalive_interval());
  for (const QueuedClaim& each : queue->claims) {
    if (&each != &own)
      pause = std::min<std::chrono::nanoseconds>(pause, each.left + 1ms);
  }
  if (waker != nullptr) {
    if (auto kept = keep_alive(state, until); !kept) return std::move(kept).error();
    const auto armed = arm(state, obstacle, waker, until);
    if (!armed.has_value()) return armed.error();
    if (!*armed) return Step{};
  }
  return Step(engine::Blocked{pause});
}

// The claim is then as before its first attempt.
void QueueResource::start_again(QueueClaimState& state) {
  release_bell(state);
  state.id = 0;
  state.watch.reset();
}

// If the bell cannot be taken, a connection of ours has it that is about to end. The
// claim then enters without a bell.
Result<void> QueueResource::enter(QueueClaimState& state, const Claim& claim,
                                  Deadline until) {
  constexpr int kTries = 3;
  bool with_bell = backend().has_bells();
  for (int i = 0; i < kTries; ++i) {
    auto in =
        enter_by(with_bell ? sql::kEnter : sql::kEnterSilently, state, claim, until);
    if (!in.has_value()) return std::move(in).error();
    if (*in) return {};
    const auto known = row().epoch();
    row().forget();
    const auto id = row().need(until);
    if (!id) return id.error();
    if (state.resource == *id && row().epoch() == known) with_bell = false;
    state.resource = *id;
  }
  return base::changed_by_others(base::in_quotes(row().name()));
}

Result<bool> QueueResource::enter_by(const Sql& sql, QueueClaimState& state,
                                     const Claim& claim, Deadline until) {
  const bool with_bell = &sql == &sql::kEnter;
  std::string bell = Names::bell_of(state.owner);
  Args args(state.owner, column_of(claim.mode), claim.permits, std::uint32_t{with_bell},
            kWaiterLease, state.holder, state.resource, number_of(row().kind()),
            row().epoch());
  if (with_bell) args << bell;
  auto connection = backend().pool().lend(until);
  if (!connection) return std::move(connection).error();
  auto answer = (*connection)->run(sql, args, until);
  if (!answer) {
    if (answer.error().code == Errc::outcome_unknown) state.in_doubt = true;
    return std::move(answer).error();
  }
  if (answer->matched == 0) return false;
  state.id = answer->id;
  state.written_at = Clock::now();
  if (with_bell) state.bell.taken(std::move(bell), connection->share());
  return true;
}

// A bell is released before its row is gone, so a waiter that was rung reads only after
// the changes that are under way.
Result<QueueRows> QueueResource::read(QueueClaimState& state, Deadline until) {
  auto answer = backend().run(state.was_rung ? sql::kQueueCommitted : sql::kQueue,
                              Args(state.resource), until);
  if (!answer) return Failure(Errc::unavailable, answer.error().context);
  if (answer->rows.empty() ||
      answer->rows.front()[3].number != number_of(row().kind())) {
    row().forget();
    return QueueRows{};
  }
  row().remember_epoch(answer->rows.front()[12].count());
  auto queue = QueueRows::of(answer->rows, state.owner);
  if (!queue.has_expired) return queue;
  auto purged = backend().run(sql::kPurge, Args(state.resource), until);
  if (!purged) return Failure(Errc::unavailable, purged.error().context);
  return queue;
}

// The first claim on a semaphore that names a number of permits stores it. Nothing
// means that it was just stored.
Result<std::optional<std::uint32_t>> QueueResource::capacity(const QueueRows& queue,
                                                             const Claim& claim,
                                                             Deadline until) {
  using Most = std::optional<std::uint32_t>;
  if (row().kind() != Kind::semaphore) return Most(claim.capacity);
  if (!queue.value && claim.capacity > 0) {
    auto stored = number().exchange({}, claim.capacity, engine::Ticket::none, until);
    if (!stored) return std::move(stored).error();
    return Most{};
  }
  const std::uint32_t most = queue.capacity();
  if (claim.permits > most) {
    return base::too_many_permits(base::in_quotes(row().name()), claim.permits, most);
  }
  return Most(most);
}

// If another claim was granted since the queue was read, nothing is written, and the
// next read shows it. All parties of a double barrier are granted by one statement.
Result<void> QueueResource::grant(QueueClaimState& state, const QueueRows& queue,
                                  Deadline until) {
  const bool all = row().kind() == Kind::double_barrier;
  const std::uint64_t token = std::max(queue.fence + 1, queue.clock);
  Args args;
  if (all) args << state.id << state.resource << queue.claims.size();
  args << token << token;
  if (!all) args << state.lease;
  args << state.resource << queue.fence << queue.version;
  if (!all) args << state.id;
  const auto asked = Clock::now();
  auto answer = backend().run(all ? sql::kGrantAll : sql::kGrant, args, until,
                              state.bell.connection());
  if (!answer) return std::move(answer).error();
  if (answer->matched == 0 || all) return {};
  state.granted = true;
  state.token = {token};
  state.granted_at = asked;
  wait_no_more(state);
  return {};
}

// The claim was granted by another client, or by a statement whose answer was lost.
Result<void> QueueResource::accept(QueueClaimState& state, const QueuedClaim& own,
                                   Deadline until) {
  const auto asked = Clock::now();
  state.id = own.id;
  state.token = {own.token};
  const Args args(state.lease, state.resource, state.id, state.owner);
  auto renewed = backend().run(sql::kRenewClaim, args, until, state.bell.connection());
  if (!renewed) return Failure(Errc::unavailable, renewed.error().context);
  if (renewed->matched == 0) return {};
  state.granted = true;
  state.granted_at = asked;
  wait_no_more(state);
  return {};
}

// If a bell is free although its claim is still in the queue, the connection that had
// it has ended, and perhaps the client with it. A client that lives writes its row
// again within a few seconds and keeps it; the row of a dead one expires soon. A claim
// that was granted keeps its time.
Result<bool> QueueResource::shorten_waiter_lease(QueueClaimState& state,
                                                 const QueuedClaim* obstacle,
                                                 Deadline until) {
  if (!std::exchange(state.was_rung, false)) return false;
  if (obstacle == nullptr || obstacle->id != state.obstacle) return false;
  state.ignored = obstacle->id;
  if (obstacle->entry.granted) return false;
  auto shortened =
      backend().run(sql::kShortenWaiterLease,
                    Args(kLostBellLease, state.resource, obstacle->id), until);
  if (!shortened) return Failure(Errc::unavailable, shortened.error().context);
  return true;
}

Result<bool> QueueResource::arm(QueueClaimState& state, const QueuedClaim* obstacle,
                                const engine::Waker& waker, Deadline until) {
  const bool has_bell = obstacle != nullptr && obstacle->has_bell &&
                        obstacle->id != state.ignored && backend().has_bells();
  if (state.wait != nullptr && (!has_bell || state.obstacle != obstacle->id)) {
    if (auto stopped = stop_wait(state, until, Errc::unavailable); !stopped) {
      return std::move(stopped).error();
    }
    state.wait.reset();
  }
  if (has_bell && state.wait == nullptr) wait_for_bell(state, *obstacle, waker);
  if (state.wait != nullptr) {
    state.watch.reset();
    return true;
  }
  if (state.watch != nullptr) return true;
  if (auto watched = watch_by_poller(state, waker, until); !watched) {
    return std::move(watched).error();
  }
  return false;
}

void QueueResource::wait_for_bell(QueueClaimState& state, const QueuedClaim& obstacle,
                                  const engine::Waker& waker) {
  const auto rung = [](Pool::Lent&, bool) -> BellWait::Outcome {
    return {.state = BellWait::State::rung};
  };
  state.wait = backend().bell_threads().start(waker, Names::bell_of(obstacle.owner),
                                              BellThreads::After::pass_on, rung);
  state.obstacle = obstacle.id;
}

void QueueResource::take_outcome(QueueClaimState& state) {
  const auto outcome = state.wait->outcome().state;
  if (outcome == BellWait::State::waiting) return;
  state.was_rung = outcome == BellWait::State::rung;
  if (!state.was_rung && ++state.failures >= BellThreads::kTries) {
    state.ignored = state.obstacle;
  }
  state.wait.reset();
}

// The obstacle may never end, so this does not wait until its bell is left alone.
void QueueResource::wait_no_more(QueueClaimState& state) {
  if (state.wait != nullptr) (void)state.wait->stop(Clock::now());
  state.wait.reset();
  state.watch.reset();
}

// A waiter writes its row again from time to time. That also keeps alive the connection
// that has its bell.
Result<void> QueueResource::keep_alive(QueueClaimState& state, Deadline until) {
  const auto now = Clock::now();
  if (now - state.written_at < backend().keepalive_interval() / 2) return {};
  const Args args(kWaiterLease, state.resource, state.id);
  auto written = backend().run(sql::kRenewWaiter, args, until, state.bell.connection());
  if (!written) return Failure(Errc::unavailable, written.error().context);
  state.written_at = now;
  return {};
}

// A new epoch keeps out a statement that may still be on its way.
Result<void> QueueResource::give_up(QueueClaimState& state, Deadline until) {
  state.watch.reset();
  if (auto stopped = stop_wait(state, until); !stopped) return stopped;
  state.wait.reset();
  if (state.in_doubt) {
    auto begun = backend().run(sql::kNextEpoch, Args(state.resource), until);
    if (!begun) return std::move(begun).error();
  }
  if (state.id == 0 && !state.in_doubt) return Errc::not_held;
  return end_by(sql::kLeave, sql::kLeaveSilently, state, until);
}

Result<void> QueueResource::renew(const Claim& claim, Deadline until) {
  const auto ours = held_claim(claim.ticket);
  if (ours == nullptr) return Errc::not_held;
  const Args args(backend().lease_of(claim), ours->resource, ours->id, ours->owner);
  return renew_by(sql::kRenewClaim, args, claim.ticket, ours, HoldMonitor::Table::claim,
                  until);
}

// A writer that becomes a reader releases its bell, which wakes the readers behind it.
Result<engine::Granted> QueueResource::amend(const Claim& held, const Claim& wanted,
                                             Deadline until) {
  const auto state = claims_.find(held.ticket);
  if (state == nullptr || !state->granted) return Errc::not_held;
  if (held.mode == Mode::shared && wanted.mode == Mode::exclusive) {
    return base::reader_cannot_write(base::in_quotes(row().name()));
  }
  if (wanted.permits > held.permits) {
    return base::cannot_grow(base::in_quotes(row().name()));
  }
  const bool admits_readers = held.mode != wanted.mode;
  const auto asked = Clock::now();
  const auto lease = backend().lease_of(wanted);
  const std::uint32_t mode = column_of(wanted.mode);
  const std::string identity = holder_of(wanted).payload;
  const Args args(mode, wanted.permits, identity,
                  std::uint32_t{state->bell.is_held() && !admits_readers}, lease,
                  state->resource, state->id, state->owner, mode, wanted.permits);
  auto amended = backend().run(sql::kAmendClaim, args, until, state->bell.connection());
  if (!amended) return std::move(amended).error();
  if (amended->matched == 0) return lost(held.ticket);
  const auto bell = admits_readers ? nullptr : state->bell.connection();
  const HeldClaimPtr now = held_by(*state, state->id, bell);
  HeldClaimPtr before = now;  // after the swap
  const bool is_held = claims_.update_held(
      held.ticket, [&](HeldClaimPtr& present) { present.swap(before); });
  if (!is_held) return Errc::not_held;  // A renewal has just found it gone.
  if (admits_readers) release_bell(*state);
  backend().hold_monitor().watch(HoldMonitor::Table::claim, state->id, state->owner,
                                 now);
  state->lease = lease;
  state->granted_at = asked;
  return granted(*state, asked);
}

}  // namespace holdfast::mysql
