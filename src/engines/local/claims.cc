#include <cstring>
#include <limits>
#include <utility>

#include "base/common_failures.h"
#include "engines/local/liveness_fd.h"
#include "engines/local/resource.h"
#include "engines/local/signal.h"
#include "engines/local/wakeups.h"
#include "holdfast/clock.h"

namespace holdfast::local {

using engine::Blocked;
using engine::Claim;
using engine::Granted;
using engine::Verdict;

namespace {

constexpr auto kRetry = std::chrono::seconds(5);

bool is_plain(const Claim& claim) {
  return claim.mode == engine::Mode::exclusive && claim.permits == 1 &&
         (claim.lease == engine::Lease::zero() || claim.lease == engine::kNoLease) &&
         claim.payload.empty();
}

}  // namespace

std::uint32_t milliseconds_of(engine::Lease lease) noexcept {
  if (lease == engine::Lease::zero() || lease == engine::kNoLease) return kUnleased;
  const auto ms = std::chrono::ceil<std::chrono::milliseconds>(lease).count();
  return ms >= kUnleased ? kUnleased : static_cast<std::uint32_t>(ms);
}

LocalResource::LocalResource(std::shared_ptr<ProcessSlot> process,
                             const engine::Address& address, RecordRef ref)
    : process_(std::move(process)),
      name_(new char[address.name.size() + 1]),
      kind_(address.kind),
      plain_kind_(kind_ == engine::Kind::mutex || kind_ == engine::Kind::fair_mutex),
      ref_((std::uint64_t{ref.record} << 32) | ref.generation) {
  std::memcpy(name_.get(), address.name.c_str(), address.name.size() + 1);
}

std::string LocalResource::quoted() const {
  return "\"" + std::string(name_.get()) + "\"";
}

RecordRef LocalResource::ref() const noexcept {
  const auto packed = ref_.load(std::memory_order_acquire);
  return {static_cast<BlockIndex>(packed >> 32), static_cast<std::uint32_t>(packed)};
}

Result<void> LocalResource::find_again(engine::Deadline deadline) {
  const auto found = find_name(segment(), name_.get(), me(), deadline);
  if (!found) return found.error();
  ref_.store((std::uint64_t{found->record} << 32) | found->generation);
  return {};
}

Failure LocalResource::not_held() const {
  return {Errc::not_held, quoted() + " is not held"};
}

Failure LocalResource::wrong_kind() const {
  return base::used_by_another_kind(quoted());
}

Failure LocalResource::too_many(std::uint32_t permits, std::int64_t capacity) const {
  return base::too_many_permits(quoted(), permits, capacity);
}

Result<Verdict> LocalResource::attempt(const Claim& claim, const engine::Waker& waker,
                                       engine::Deadline deadline) {
  if (!process_->present()) return process_->why_absent();
  if (plain_kind_ && is_plain(claim)) {
    const RecordRef at = ref();
    auto& record = record_at(at);
    const auto mine = word_of(claim);
    auto word = free_word(at.generation);
    if (record.word.cas(word, mine)) {
      const FencingToken token{record.token.fetch_add(1) + 1};
      record.since.store(wall_seconds());
      // If the claim was evicted between the two steps, the new holder may have a token
      // below ours, so the claim counts as not granted.
      if ((record.word.load() & ~kQueued) == mine) return Verdict(Granted{token});
    } else if ((word & ~kQueued) == mine) {
      return Verdict(Granted{FencingToken{record.token.load()}});
    } else if (waker == nullptr && word_slot(word) != 0 &&
               record.generation.load() == at.generation &&
               !claims_ended(segment(), word_session(word))) {
      return Verdict(Blocked{kRetry});
    }
  }
  return queue(claim, waker, deadline);
}

Result<Verdict> LocalResource::queue(const Claim& claim, const engine::Waker& waker,
                                     engine::Deadline deadline) {
  const auto ticket = static_cast<std::uint64_t>(claim.ticket);
  if (const BlockIndex cell = process_->cell_of(ticket); cell != 0) {
    if (segment().at<ClaimCell>(cell).phase.load() == ClaimPhase::waiting) {
      const auto still = inside<Blocked>(deadline, [&](RecordGuard& guard) {
        guard.admit(cell);
        auto& state = guard.claim(cell);
        if (state.phase.load() == ClaimPhase::waiting &&
            guard.exceeds_capacity(state)) {
          guard.remove(cell);
          state.phase.store(ClaimPhase::gone);
        }
        return Result<Blocked>(blocked(guard, cell));
      });
      if (!still) return still.error();
      if (segment().at<ClaimCell>(cell).phase.load() == ClaimPhase::waiting) {
        return Verdict(*still);
      }
    }
    return outcome_of(claim, cell, deadline);
  }
  if (auto stored = store_capacity(claim.capacity, deadline); !stored) {
    return std::move(stored).error();
  }
  const auto cell = new_cell(claim);
  if (!cell) return cell.error();
  segment().at<ClaimCell>(*cell).signal.store(signal_cell_of(waker));
  process_->note(ticket, *cell);
  auto verdict = enqueue(claim, waker, *cell, deadline);
  if (!verdict || (waker == nullptr && std::holds_alternative<Blocked>(*verdict)) ||
      segment().at<ClaimCell>(*cell).phase.load() == ClaimPhase::gone) {
    free_cell(ticket, *cell);
    return verdict;
  }
  if (std::holds_alternative<Blocked>(*verdict)) process_->await(ticket, waker);
  // The claim may have been granted before `await`; a waker that is not one of the
  // segment's signals was not rung then.
  if (segment().at<ClaimCell>(*cell).phase.load() != ClaimPhase::waiting) {
    return outcome_of(claim, *cell, deadline);
  }
  return verdict;
}

// Returns the outcome of a claim that waits no longer: it was granted, it was ended, or
// it wants more permits than there are now.
Result<Verdict> LocalResource::outcome_of(const Claim& claim, BlockIndex cell,
                                          engine::Deadline deadline) {
  const bool gone = segment().at<ClaimCell>(cell).phase.load() == ClaimPhase::gone;
  if (gone && kind_ == engine::Kind::semaphore) {
    const auto now = load(deadline);
    if (now && claim.permits > now->number) return too_many(claim.permits, now->number);
  }
  return verdict_of(cell);
}

// The first claim that states a capacity fixes it for all clients.
Result<void> LocalResource::store_capacity(std::uint32_t capacity,
                                           engine::Deadline deadline) {
  if (kind_ != engine::Kind::semaphore || capacity == 0) return {};
  if (capacity_stored_.load(std::memory_order_relaxed)) return {};
  const auto stored = exchange({}, capacity, engine::Ticket::none, deadline);
  if (!stored) return stored.error();
  capacity_stored_.store(true, std::memory_order_relaxed);
  return {};
}

Result<Verdict> LocalResource::enqueue(const Claim& claim, const engine::Waker& waker,
                                       BlockIndex cell, engine::Deadline deadline) {
  return inside<Verdict>(deadline, [&](RecordGuard& guard) -> Result<Verdict> {
    auto& state = guard.claim(cell);
    if (guard.owner() != 0 && guard.owner() == word_of(claim)) {
      state.phase.store(ClaimPhase::gone);
      return Verdict(Granted{FencingToken{guard.record().token.load()}});
    }
    if (!guard.become(kind_)) return wrong_kind();
    if (kind_ == engine::Kind::semaphore && claim.permits > guard.capacity_for(state)) {
      return too_many(claim.permits, guard.capacity_for(state));
    }
    const bool waits = waker != nullptr;
    if (waits) {
      guard.append(cell);
    } else {
      guard.append_silently(cell);
    }
    guard.admit(cell);
    if (state.phase.load() == ClaimPhase::granted) return verdict_of(cell);
    const auto refused = blocked(guard, cell);
    if (!waits) guard.remove_silently(cell);
    return Verdict(refused);
  });
}

Result<BlockIndex> LocalResource::new_cell(const Claim& claim) {
  auto cell = process_->take_cell();
  if (!cell) return cell;
  auto payload = process_->take_text(claim.payload);
  if (!payload) {
    process_->give_cell(*cell);
    return payload;
  }
  auto& state = segment().at<ClaimCell>(*cell);
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

void LocalResource::free_cell(std::uint64_t ticket, BlockIndex cell) noexcept {
  process_->forget(ticket);
  recycle(cell);
}

void LocalResource::recycle(BlockIndex cell) noexcept {
  process_->give_block(segment().at<ClaimCell>(cell).payload.load());
  process_->give_cell(cell);
}

Result<Verdict> LocalResource::verdict_of(BlockIndex cell) const {
  const auto& state = segment().at<ClaimCell>(cell);
  const auto ends = state.lease_ends.load();
  engine::Lease left = engine::kNoLease;
  if (ends != std::numeric_limits<std::int64_t>::max()) {
    left = engine::Lease(ends - Clock::now().time_since_epoch().count());
  }
  if (state.phase.load() != ClaimPhase::granted || left <= engine::Lease::zero())
    return Failure(Errc::not_held, "the claim on " + quoted() +
                                       " was ended by its lease or an operator");
  return Verdict(Granted{FencingToken{state.token.load()}, 1, left});
}

Blocked LocalResource::blocked(const RecordGuard& guard, BlockIndex cell) const {
  // The head of the queue attempts again when the first lease ends, the others a little
  // later, because by then they have moved up without an attempt.
  auto soonest = std::numeric_limits<std::int64_t>::max();
  BlockIndex u = guard.record().first.load();
  for (; u != 0; u = guard.claim(u).next.load()) {
    if (guard.claim(u).phase.load() != ClaimPhase::granted) break;
    soonest = std::min(soonest, guard.claim(u).lease_ends.load());
  }
  if (soonest == std::numeric_limits<std::int64_t>::max()) return {kRetry};
  const auto left = std::chrono::nanoseconds(
      std::max<std::int64_t>(soonest - Clock::now().time_since_epoch().count(), 0));
  const auto later = std::chrono::milliseconds(u == cell ? 1 : 100);
  return {std::min<std::chrono::nanoseconds>(left + later, kRetry)};
}

Result<void> LocalResource::drop(const Claim& claim, engine::Deadline deadline) {
  const auto mine = word_of(claim);
  if (plain_kind_) {
    const RecordRef at = ref();
    auto word = mine;
    if (record_at(at).word.cas(word, free_word(at.generation))) return {};
  }
  if (!process_->present()) return not_held();
  const auto ticket = static_cast<std::uint64_t>(claim.ticket);
  const BlockIndex cell = process_->cell_of(ticket);
  auto dropped = inside<void>(deadline, [&](RecordGuard& guard) -> Result<void> {
    if (guard.owner() == mine) {
      guard.clear_owner();
    } else if (cell == 0 || !guard.remove(cell)) {
      return not_held();
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
