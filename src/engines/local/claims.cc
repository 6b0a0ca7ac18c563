#include <cstring>
#include <limits>
#include <utility>

#include "base/common_failures.h"
#include "engines/local/bell.h"
#include "engines/local/resource.h"
#include "engines/local/signal.h"
#include "engines/local/ward.h"
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

LocalResource::LocalResource(std::shared_ptr<Member> member,
                             const engine::Address& address, Spot spot)
    : member_(std::move(member)),
      name_(new char[address.name.size() + 1]),
      kind_(address.kind),
      plain_kind_(kind_ == engine::Kind::mutex || kind_ == engine::Kind::fair_mutex),
      spot_((std::uint64_t{spot.record} << 32) | spot.generation) {
  std::memcpy(name_.get(), address.name.c_str(), address.name.size() + 1);
}

std::string LocalResource::quoted() const {
  return "\"" + std::string(name_.get()) + "\"";
}

Spot LocalResource::spot() const noexcept {
  const auto packed = spot_.load(std::memory_order_acquire);
  return {static_cast<Unit>(packed >> 32), static_cast<std::uint32_t>(packed)};
}

Result<void> LocalResource::find_again(engine::Deadline deadline) {
  const auto found = find_name(segment(), name_.get(), me(), deadline);
  if (!found) return found.error();
  spot_.store((std::uint64_t{found->record} << 32) | found->generation);
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
  if (!member_->present()) return member_->why_absent();
  if (plain_kind_ && is_plain(claim)) {
    const Spot here = spot();
    auto& record = record_at(here);
    const auto mine = word_of(claim);
    auto word = free_word(here.generation);
    if (record.word.cas(word, mine)) {
      const FencingToken token{record.token.fetch_add(1) + 1};
      record.since.store(wall_seconds());
      // If the claim was evicted between the two steps, the new holder may have a token
      // below ours, so the claim counts as not granted.
      if ((record.word.load() & ~kQueued) == mine) return Verdict(Granted{token});
    } else if ((word & ~kQueued) == mine) {
      return Verdict(Granted{FencingToken{record.token.load()}});
    } else if (waker == nullptr && word_slot(word) != 0 &&
               record.generation.load() == here.generation &&
               !claims_ended(segment(), word_session(word))) {
      return Verdict(Blocked{kRetry});
    }
  }
  return queue(claim, waker, deadline);
}

Result<Verdict> LocalResource::queue(const Claim& claim, const engine::Waker& waker,
                                     engine::Deadline deadline) {
  const auto ticket = static_cast<std::uint64_t>(claim.ticket);
  if (const Unit cell = member_->cell_of(ticket); cell != 0) {
    if (segment().at<ClaimCell>(cell).standing.load() == Standing::waiting) {
      const auto still = inside<Blocked>(deadline, [&](Visit& visit) {
        visit.admit(cell);
        auto& place = visit.claim(cell);
        if (place.standing.load() == Standing::waiting && visit.is_in_vain(place)) {
          visit.remove(cell);
          place.standing.store(Standing::gone);
        }
        return Result<Blocked>(blocked(visit, cell));
      });
      if (!still) return still.error();
      if (segment().at<ClaimCell>(cell).standing.load() == Standing::waiting) {
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
  segment().at<ClaimCell>(*cell).signal.store(bell_of(waker));
  member_->note(ticket, *cell);
  auto verdict = enqueue(claim, waker, *cell, deadline);
  if (!verdict || (waker == nullptr && std::holds_alternative<Blocked>(*verdict)) ||
      segment().at<ClaimCell>(*cell).standing.load() == Standing::gone) {
    free_cell(ticket, *cell);
    return verdict;
  }
  if (std::holds_alternative<Blocked>(*verdict)) member_->await(ticket, waker);
  // The claim may have been granted before `await`; a waker that is not one of the
  // segment's signals was not rung then.
  if (segment().at<ClaimCell>(*cell).standing.load() != Standing::waiting) {
    return outcome_of(claim, *cell, deadline);
  }
  return verdict;
}

// Returns the outcome of a claim that waits no longer: it was granted, it was ended, or
// it wants more permits than there are now.
Result<Verdict> LocalResource::outcome_of(const Claim& claim, Unit cell,
                                          engine::Deadline deadline) {
  const bool gone = segment().at<ClaimCell>(cell).standing.load() == Standing::gone;
  if (gone && kind_ == engine::Kind::semaphore) {
    const auto now = load(deadline);
    if (now && claim.permits > now->number) return too_many(claim.permits, now->number);
  }
  return standing_of(cell);
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
                                       Unit cell, engine::Deadline deadline) {
  return inside<Verdict>(deadline, [&](Visit& visit) -> Result<Verdict> {
    auto& place = visit.claim(cell);
    if (visit.owner() != 0 && visit.owner() == word_of(claim)) {
      place.standing.store(Standing::gone);
      return Verdict(Granted{FencingToken{visit.record().token.load()}});
    }
    if (!visit.become(kind_)) return wrong_kind();
    if (kind_ == engine::Kind::semaphore && claim.permits > visit.capacity_for(place)) {
      return too_many(claim.permits, visit.capacity_for(place));
    }
    const bool waits = waker != nullptr;
    if (waits) {
      visit.append(cell);
    } else {
      visit.append_unseen(cell);
    }
    visit.admit(cell);
    if (place.standing.load() == Standing::granted) return standing_of(cell);
    const auto refused = blocked(visit, cell);
    if (!waits) visit.remove_unseen(cell);
    return Verdict(refused);
  });
}

Result<Unit> LocalResource::new_cell(const Claim& claim) {
  auto cell = member_->take_cell();
  if (!cell) return cell;
  auto payload = member_->take_text(claim.payload);
  if (!payload) {
    member_->give_cell(*cell);
    return payload;
  }
  auto& place = segment().at<ClaimCell>(*cell);
  place.ticket.store(static_cast<std::uint64_t>(claim.ticket));
  place.token.store(0);
  place.lease_ms.store(milliseconds_of(claim.lease));
  place.signal.store(0);
  place.payload.store(*payload);
  place.permits.store(claim.permits);
  place.capacity.store(claim.capacity);
  place.mode.store(claim.mode);
  place.standing.store(Standing::waiting);
  return cell;
}

void LocalResource::free_cell(std::uint64_t ticket, Unit cell) noexcept {
  member_->forget(ticket);
  recycle(cell);
}

void LocalResource::recycle(Unit cell) noexcept {
  member_->give_block(segment().at<ClaimCell>(cell).payload.load());
  member_->give_cell(cell);
}

Result<Verdict> LocalResource::standing_of(Unit cell) const {
  const auto& place = segment().at<ClaimCell>(cell);
  const auto ends = place.lease_ends.load();
  engine::Lease left = engine::kNoLease;
  if (ends != std::numeric_limits<std::int64_t>::max()) {
    left = engine::Lease(ends - Clock::now().time_since_epoch().count());
  }
  if (place.standing.load() != Standing::granted || left <= engine::Lease::zero())
    return Failure(Errc::not_held, "the claim on " + quoted() +
                                       " was ended by its lease or an operator");
  return Verdict(Granted{FencingToken{place.token.load()}, 1, left});
}

Blocked LocalResource::blocked(const Visit& visit, Unit cell) const {
  // The head of the queue attempts again when the first lease ends, the others a little
  // later, because by then they have moved up without an attempt.
  auto soonest = std::numeric_limits<std::int64_t>::max();
  Unit u = visit.record().first.load();
  for (; u != 0; u = visit.claim(u).next.load()) {
    if (visit.claim(u).standing.load() != Standing::granted) break;
    soonest = std::min(soonest, visit.claim(u).lease_ends.load());
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
    const Spot here = spot();
    auto word = mine;
    if (record_at(here).word.cas(word, free_word(here.generation))) return {};
  }
  if (!member_->present()) return not_held();
  const auto ticket = static_cast<std::uint64_t>(claim.ticket);
  const Unit cell = member_->cell_of(ticket);
  auto dropped = inside<void>(deadline, [&](Visit& visit) -> Result<void> {
    if (visit.owner() == mine) {
      visit.clear_owner();
    } else if (cell == 0 || !visit.remove(cell)) {
      return not_held();
    }
    visit.admit();
    return {};
  });
  if (cell != 0 && (dropped || dropped.error().code == Errc::not_held)) {
    free_cell(ticket, cell);
  }
  return dropped;
}

}  // namespace holdfast::local
