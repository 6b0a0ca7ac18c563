#include <limits>

#include "base/common_failures.h"
#include "engines/local/resource.h"
#include "holdfast/clock.h"

namespace holdfast::local {

using engine::Claim;
using engine::Granted;

Result<Granted> LocalResource::amend(const Claim& held, const Claim& wanted,
                                     engine::Deadline deadline) {
  if (held.mode == engine::Mode::shared && wanted.mode == engine::Mode::exclusive) {
    return base::reader_cannot_write(quoted());
  }
  if (wanted.permits > held.permits) return base::cannot_grow(quoted());
  if (!process_->present()) return process_->why_absent();
  const auto ticket = static_cast<std::uint64_t>(held.ticket);
  const auto fresh = new_cell(wanted);
  if (!fresh) return fresh.error();
  const BlockIndex old = process_->cell_of(ticket);
  process_->note(ticket, old);  // Everything that needs memory happens before anything
                                // is changed.
  auto amended = inside<Granted>(deadline, [&](RecordGuard& guard) -> Result<Granted> {
    const bool plain = guard.owner() == word_of(held);
    const bool queued =
        !plain && old != 0 && guard.claim(old).phase.load() == ClaimPhase::granted;
    if (!plain && !queued) return not_held();
    if (plain) guard.become(kind_);
    auto& to = guard.claim(*fresh);
    to.ticket.store(ticket);
    to.token.store(plain ? guard.record().token.load() : guard.claim(old).token.load());
    to.since.store(plain ? guard.record().since.load() : guard.claim(old).since.load());
    const auto lease = to.lease_ms.load();
    const auto now = Clock::now().time_since_epoch().count();
    to.lease_ends.store(lease == kUnleased ? std::numeric_limits<std::int64_t>::max()
                                           : now + std::int64_t{lease} * 1'000'000);
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
    if (old == 0) process_->forget(ticket);
    recycle(*fresh);
    return amended;
  }
  process_->note(ticket, *fresh);
  if (old != 0) recycle(old);
  return amended;
}

Result<Granted> LocalResource::renew(const Claim& claim, engine::Deadline deadline) {
  if (!process_->present()) return Errc::not_held;
  const auto& record = record_at(ref());
  if ((record.word.load() & ~kQueued) == word_of(claim))
    return Granted{FencingToken{record.token.load()}};
  const BlockIndex cell = process_->cell_of(static_cast<std::uint64_t>(claim.ticket));
  if (cell == 0) return Errc::not_held;
  return inside<Granted>(deadline, [&](RecordGuard& guard) -> Result<Granted> {
    guard.admit();
    auto& state = guard.claim(cell);
    const auto lease = milliseconds_of(claim.lease);
    if (state.phase.load() == ClaimPhase::granted && lease != kUnleased) {
      const auto ends =
          Clock::now().time_since_epoch().count() + std::int64_t{lease} * 1'000'000;
      state.lease_ends.store(std::max(state.lease_ends.load(), ends));
    }
    const auto verdict = verdict_of(cell);
    if (!verdict) return verdict.error();
    return std::get<Granted>(*verdict);
  });
}

}  // namespace holdfast::local
