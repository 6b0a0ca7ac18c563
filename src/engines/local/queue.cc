// SPDX-License-Identifier: Apache-2.0

#include "engines/local/queue.h"

#include <algorithm>
#include <limits>
#include <thread>
#include <utility>

#include "base/common_failures.h"
#include "engines/local/barging.h"
#include "engines/local/memory/cpu_pause.h"
#include "engines/local/registers.h"
#include "engines/local/wakeups.h"
#include "holdfast/clock.h"

namespace holdfast::local {

using engine::Blocked;
using engine::Claim;
using engine::Granted;
using engine::Verdict;

namespace {

constexpr auto kNoEnd = std::numeric_limits<std::int64_t>::max();

std::int64_t now_ns() { return Clock::now().time_since_epoch().count(); }

// Converts a lease to the form that a cell keeps.
std::uint32_t milliseconds_of(engine::LeaseTime lease) noexcept {
  if (lease == engine::LeaseTime::zero() || lease == engine::kNoLease) return kUnleased;
  const auto ms = std::chrono::ceil<std::chrono::milliseconds>(lease).count();
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(ms, 0, kUnleased));
}

// Returns when a lease ends that begins now.
std::int64_t end_of(std::uint32_t lease_ms) {
  return lease_ms == kUnleased ? kNoEnd : now_ns() + std::int64_t{lease_ms} * 1'000'000;
}

// Gives a claim that was granted last the token that its client chose, takes back the
// one that was next, and remembers the last one of its block.
void put_chosen_token(const Claim& claim, Record& record, ClaimCell& granted) noexcept {
  if (!claim.token) return;
  granted.token.store(claim.token.value);
  record.token.store(
      std::max(record.token.load() - 1, claim.token.value + claim.tokens - 1));
}

bool is_too_far_ahead(const Claim& claim) noexcept {
  const auto latest = std::chrono::seconds(wall_seconds()) + engine::kTokensAhead;
  return claim.token.value > static_cast<std::uint64_t>(latest.count());
}

// Returns until when the head of a queue watches the lock. With one processor the
// holder could not run meanwhile.
engine::Deadline watch_end(engine::Deadline until) noexcept {
  static const bool alone = std::thread::hardware_concurrency() == 1;
  return alone ? engine::Deadline::min() : std::min(until, Clock::now() + kHeadSpin);
}

}  // namespace

Result<Verdict> Queue::attempt(const Claim& claim, const engine::Waker& waker,
                               engine::Deadline until) {
  const auto ticket = static_cast<std::uint64_t>(claim.ticket);
  if (const BlockIndex cell = process().cell_of(ticket); cell != 0) {
    return attempt_again(claim, waker, cell, until);
  }
  if (is_too_far_ahead(claim)) return base::token_too_far_ahead(record_.quoted());
  if (auto stored = store_capacity(claim.capacity, until); !stored) {
    return std::move(stored).error();
  }
  const auto cell = new_cell(claim);
  if (!cell) return cell.error();
  auto& state = claim_at(*cell);
  state.signal.store(signal_cell_of(waker));
  process().note(ticket, *cell);
  auto verdict = enqueue(claim, waker, *cell, until);
  if (!verdict || (waker == nullptr && !std::holds_alternative<Granted>(*verdict)) ||
      state.phase.load() == ClaimPhase::gone) {
    free_cell(ticket, *cell);
    return verdict;
  }
  const auto* const blocked = std::get_if<Blocked>(&*verdict);
  if (blocked == nullptr) return verdict;
  process().await(ticket, waker, record_.ref().record);
  // The claim may have been granted before `await`; a waker that is not one of the
  // segment's signals was not rung then.
  return watch_as_head(claim, *cell, *blocked, until);
}

// The claim has a cell already: an earlier attempt was blocked, or it was granted.
Result<Verdict> Queue::attempt_again(const Claim& claim, const engine::Waker& waker,
                                     BlockIndex cell, engine::Deadline until) {
  const auto phase = accept(cell);
  if (phase == ClaimPhase::granted || phase == ClaimPhase::gone) {
    return outcome_of(claim, cell, until);
  }
  const auto still = look(cell, next_step_of(cell), until);
  if (!still) return still.error();
  // The liveness thread rang a claim that was passed over, and forgot its waker.
  if (phase == ClaimPhase::passed) {
    process().await(static_cast<std::uint64_t>(claim.ticket), waker,
                    record_.ref().record);
  }
  return watch_as_head(claim, cell, *still, until);
}

// A task does not watch the lock as a thread does: its waker is only rung for a claim
// that has the lock, and others wait for the thread that takes its steps.
RecordGuard::NextStep Queue::next_step_of(BlockIndex cell) const noexcept {
  return claim_at(cell).signal.load() != 0 ? RecordGuard::NextStep::look_again
                                           : RecordGuard::NextStep::sleep;
}

// Lets the claim have what it may have by now.
Result<Blocked> Queue::look(BlockIndex cell, RecordGuard::NextStep next,
                            engine::Deadline until) {
  return record_.under_guard<Blocked>(until, [&](RecordGuard& guard) {
    guard.requeue(cell);
    guard.admit(cell, next);
    auto& state = guard.claim(cell);
    if (state.phase.load() == ClaimPhase::waiting && guard.exceeds_capacity(state)) {
      guard.remove(cell);
      state.phase.store(ClaimPhase::gone);
    }
    return Result<Blocked>(blocked(guard, cell));
  });
}

// Returns the phase of a claim, whose owner accepts the lock if it is offered.
ClaimPhase Queue::accept(BlockIndex cell) const noexcept {
  auto& phase = claim_at(cell).phase;
  auto seen = phase.load();
  if (seen == ClaimPhase::offered && phase.cas(seen, ClaimPhase::granted)) {
    return ClaimPhase::granted;
  }
  return seen;
}

// The head said that it would look again before it sleeps, so the lock is open. It does
// so when the lock is free, and at the end: then its look closes the lock, and the next
// release rings the head or hands the lock over.
Result<Verdict> Queue::watch_as_head(const Claim& claim, BlockIndex cell,
                                     Blocked blocked, engine::Deadline until) {
  const auto& record = record_.record_at(record_.ref());
  const auto end = watch_end(until);
  auto phase = accept(cell);
  for (bool over = next_step_of(cell) == RecordGuard::NextStep::sleep;
       !over && phase == ClaimPhase::waiting && record.head.load() == cell;
       phase = accept(cell)) {
    over = Clock::now() >= end;
    const auto word = record.word.load();
    if (!over && (word_slot(word) != 0 || (word & kOpen) == 0)) {
      cpu_pause();
      continue;
    }
    const auto seen = look(
        cell, over ? RecordGuard::NextStep::sleep : RecordGuard::NextStep::look_again,
        until);
    if (!seen) return seen.error();
    blocked = *seen;
  }
  if (phase == ClaimPhase::waiting) return Verdict(blocked);
  if (phase == ClaimPhase::passed) return Verdict(Blocked{});
  return outcome_of(claim, cell, until);
}

// Returns the outcome of a claim that waits no longer: it was granted, it was ended, or
// it wants more permits than there are now.
Result<Verdict> Queue::outcome_of(const Claim& claim, BlockIndex cell,
                                  engine::Deadline until) {
  const bool gone = claim_at(cell).phase.load() == ClaimPhase::gone;
  if (gone && record_.kind() == engine::Kind::semaphore) {
    const auto now = Registers(record_).load(until);
    if (now && claim.permits > now->number) return too_many(claim.permits, now->number);
  }
  return verdict_of(claim, cell);
}

// The first claim that states a capacity fixes it for all clients.
Result<void> Queue::store_capacity(std::uint32_t capacity, engine::Deadline until) {
  if (record_.kind() != engine::Kind::semaphore || capacity == 0) return {};
  if (record_.capacity_stored()) return {};
  const auto stored =
      Registers(record_).exchange({}, capacity, engine::Ticket::none, until);
  if (!stored) return stored.error();
  record_.note_capacity_stored();
  return {};
}

Result<Verdict> Queue::enqueue(const Claim& claim, const engine::Waker& waker,
                               BlockIndex cell, engine::Deadline until) {
  return record_.under_guard<Verdict>(
      until, [&](RecordGuard& guard) -> Result<Verdict> {
        auto& state = guard.claim(cell);
        if (guard.owner() != 0 && guard.owner() == record_.word_of(claim)) {
          state.phase.store(ClaimPhase::gone);
          return Verdict(Granted{FencingToken{guard.record().token.load()}});
        }
        if (!guard.become(record_.kind())) return record_.wrong_kind();
        if (record_.kind() == engine::Kind::semaphore &&
            claim.permits > guard.capacity_for(state)) {
          return too_many(claim.permits, guard.capacity_for(state));
        }
        const FencingToken last{guard.record().token.load()};
        if (claim.token && !engine::passes(claim, last)) {
          return Verdict(engine::TokenBehind{last});
        }
        if (record_.kind() == engine::Kind::mutex && guard.is_open()) {
          guard.grant_newcomer(cell);
          put_chosen_token(claim, guard.record(), state);
          return verdict_of(claim, cell);
        }
        const bool waits = waker != nullptr;
        if (waits) {
          if (record_.kind() == engine::Kind::fair_mutex) guard.make_strict();
          guard.append(cell);
        } else {
          guard.silently([&] { guard.append(cell); });
        }
        guard.admit(cell, waits ? next_step_of(cell) : RecordGuard::NextStep::sleep);
        if (state.phase.load() == ClaimPhase::granted) {
          put_chosen_token(claim, guard.record(), state);
          return verdict_of(claim, cell);
        }
        const auto refused = blocked(guard, cell);
        if (!waits) guard.silently([&] { guard.remove(cell); });
        return Verdict(refused);
      });
}

Result<BlockIndex> Queue::new_cell(const Claim& claim) {
  auto cell = process().take_cell();
  if (!cell) return cell;
  auto payload = process().take_text(claim.payload);
  if (!payload) {
    process().give_cell(*cell);
    return payload;
  }
  auto& state = claim_at(*cell);
  state.ticket.store(static_cast<std::uint64_t>(claim.ticket));
  state.token.store(0);
  state.lease_ms.store(milliseconds_of(claim.lease));
  state.signal.store(0);
  state.payload.store(*payload);
  state.permits.store(claim.permits);
  state.capacity.store(claim.capacity);
  state.mode.store(claim.mode);
  state.phase.store(ClaimPhase::waiting);
  return cell;
}

void Queue::forget(const Claim& claim) noexcept {
  const auto ticket = static_cast<std::uint64_t>(claim.ticket);
  if (const BlockIndex cell = process().cell_of(ticket); cell != 0) {
    free_cell(ticket, cell);
  }
}

void Queue::free_cell(std::uint64_t ticket, BlockIndex cell) noexcept {
  process().forget(ticket);
  recycle(cell);
}

void Queue::recycle(BlockIndex cell) noexcept {
  process().give_block(claim_at(cell).payload.load());
  process().give_cell(cell);
}

Result<Verdict> Queue::verdict_of(const Claim& claim, BlockIndex cell) const {
  const auto& state = claim_at(cell);
  const auto ends = state.lease_ends.load();
  engine::LeaseTime left = engine::kNoLease;
  if (ends != kNoEnd) left = engine::LeaseTime(ends - now_ns());
  if (state.phase.load() != ClaimPhase::granted || left <= engine::LeaseTime::zero()) {
    if (process().is_ending()) return process().why_absent();
    return Failure(Errc::not_held, "the claim on " + record_.quoted() +
                                       " was ended by its lease or an operator: "
                                       "acquire it again");
  }
  const std::uint32_t tokens = claim.token ? claim.tokens : 1;
  Granted granted{FencingToken{state.token.load()}, tokens, left};
  if (record_.kind() == engine::Kind::semaphore) {
    granted.capacity = state.capacity.load();
  }
  return Verdict(granted);
}

Blocked Queue::blocked(const RecordGuard& guard, BlockIndex cell) const {
  // The head of the queue attempts again when the first lease ends, the others a little
  // later, because by then they have moved up without an attempt.
  auto soonest = kNoEnd;
  BlockIndex u = guard.record().first.load();
  for (; u != 0; u = guard.claim(u).next.load()) {
    if (!has_lock(guard.claim(u).phase.load())) break;
    soonest = std::min(soonest, guard.claim(u).lease_ends.load());
  }
  const bool is_task = claim_at(cell).signal.load() == 0;
  const std::chrono::nanoseconds retry = is_task ? kTaskRetry : kRetry;
  if (soonest == kNoEnd) return {retry};
  const auto left =
      std::chrono::nanoseconds(std::max<std::int64_t>(soonest - now_ns(), 0));
  const auto later = std::chrono::milliseconds(u == cell ? 1 : 100);
  return {std::min<std::chrono::nanoseconds>(left + later, retry)};
}

Failure Queue::too_many(std::uint32_t permits, std::int64_t capacity) const {
  return base::too_many_permits(record_.quoted(), permits, capacity);
}

Result<Granted> Queue::amend(const Claim& held, const Claim& wanted,
                             engine::Deadline until) {
  if (held.mode == engine::Mode::shared && wanted.mode == engine::Mode::exclusive) {
    return base::reader_cannot_write(record_.quoted());
  }
  if (wanted.permits > held.permits) return base::cannot_grow(record_.quoted());
  if (!process().present()) return process().why_absent();
  const auto ticket = static_cast<std::uint64_t>(held.ticket);
  const auto fresh = new_cell(wanted);
  if (!fresh) return fresh.error();
  const BlockIndex old = process().cell_of(ticket);
  // Everything that needs memory happens before anything is changed.
  process().note(ticket, old);
  auto amended =
      record_.under_guard<Granted>(until, [&](RecordGuard& guard) -> Result<Granted> {
        const bool plain = guard.owner() == record_.word_of(held);
        const bool queued =
            !plain && old != 0 && guard.claim(old).phase.load() == ClaimPhase::granted;
        if (!plain && !queued) return record_.not_held();
        if (plain) guard.become(record_.kind());
        auto& to = guard.claim(*fresh);
        to.ticket.store(ticket);
        to.token.store(plain ? guard.record().token.load()
                             : guard.claim(old).token.load());
        to.since.store(plain ? guard.record().since.load()
                             : guard.claim(old).since.load());
        const auto lease = to.lease_ms.load();
        to.lease_ends.store(end_of(lease));
        to.phase.store(ClaimPhase::granted);
        guard.prepend(*fresh);
        if (plain) {
          guard.clear_owner();
        } else {
          guard.remove(old);
        }
        guard.admit();
        return Granted{
            FencingToken{to.token.load()}, 1,
            lease == kUnleased ? engine::kNoLease : std::chrono::milliseconds(lease)};
      });
  if (!amended) {
    if (old == 0) process().forget(ticket);
    recycle(*fresh);
    return amended;
  }
  process().note(ticket, *fresh);
  if (old != 0) recycle(old);
  return amended;
}

Result<Granted> Queue::renew(const Claim& claim, engine::Deadline until) {
  if (!process().present()) return Errc::not_held;
  const auto& record = record_.record_at(record_.ref());
  if (without_flags(record.word.load()) == record_.word_of(claim))
    return Granted{FencingToken{record.token.load()}};
  const BlockIndex cell = process().cell_of(static_cast<std::uint64_t>(claim.ticket));
  if (cell == 0) return Errc::not_held;
  return record_.under_guard<Granted>(
      until, [&](RecordGuard& guard) -> Result<Granted> {
        guard.admit();
        auto& state = guard.claim(cell);
        const auto lease = milliseconds_of(claim.lease);
        if (state.phase.load() == ClaimPhase::granted && lease != kUnleased) {
          state.lease_ends.store(std::max(state.lease_ends.load(), end_of(lease)));
        }
        const auto verdict = verdict_of(claim, cell);
        if (!verdict) return verdict.error();
        return std::get<Granted>(*verdict);
      });
}

Result<void> Queue::drop(const Claim& claim, engine::Deadline until) {
  const auto mine = record_.word_of(claim);
  if (!process().present()) return record_.not_held();
  const auto ticket = static_cast<std::uint64_t>(claim.ticket);
  const BlockIndex cell = process().cell_of(ticket);
  auto dropped =
      record_.under_guard<void>(until, [&](RecordGuard& guard) -> Result<void> {
        if (guard.owner() == mine) {
          guard.clear_owner();
        } else if (cell == 0 || !guard.forget(cell)) {
          return record_.not_held();
        }
        guard.admit();
        return {};
      });
  if (cell != 0 && (dropped || dropped.error().code == Errc::not_held)) {
    free_cell(ticket, cell);
  }
  return dropped;
}

}  // namespace holdfast::local
