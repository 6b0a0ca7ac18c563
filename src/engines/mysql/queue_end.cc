#include <utility>

#include "base/common_failures.h"
#include "engines/mysql/errors.h"
#include "engines/mysql/queue.h"
#include "engines/mysql/transport/sql.h"

namespace holdfast::mysql {

using engine::Claim;
using engine::Deadline;
using engine::Mode;

Result<void> QueueResource::drop(const Claim& claim, Deadline until) {
  const auto state = claims_.find(claim.ticket);
  if (state == nullptr) return Errc::not_held;
  claims_.withdraw(claim.ticket);
  auto left = leave(*state, until);
  if (left || left.error().code == Errc::not_held) claims_.erase(claim.ticket);
  return left;
}

Result<void> QueueResource::leave(ClaimState& state, Deadline until) {
  state.watch.reset();
  if (state.wait != nullptr) {
    if (!state.wait->stop(until)) {
      return still_listening(row().name());
    }
    state.wait.reset();
  }
  if (state.doubtful) {
    Args args;
    args << state.resource;
    auto late = backend().run(sql::kNextEpoch, args, until);
    if (!late) return std::move(late).error();
  }
  if (state.id == 0 && !state.doubtful) return Errc::not_held;
  if (state.bell != nullptr && state.bell->is_cut()) state.bell.reset();
  const bool ring = state.bell != nullptr;
  const std::string bell = Backend::bell_of(state.owner);
  Args args;
  args << state.resource << std::string_view(state.owner);
  if (ring) args << std::string_view(bell);
  auto gone =
      backend().run(ring ? sql::kLeave : sql::kLeaveSilently, args, until, state.bell);
  if (!gone) return std::move(gone).error();
  if (gone->matched == 0) {
    release_bell(state, until);
    return Errc::not_held;
  }
  if (ring) --state.bell->bells;
  state.bell.reset();
  return {};
}

void QueueResource::release_bell(ClaimState& state, Deadline until) {
  const auto bell = std::exchange(state.bell, nullptr);
  if (bell == nullptr) return;
  --bell->bells;
  if (bell->is_cut()) return;
  const std::string name = Backend::bell_of(state.owner);
  Args args;
  args << std::string_view(name);
  (void)backend().run(sql::kReleaseBell, args, until, bell);
}

Result<void> QueueResource::renew(const Claim& claim, Deadline until) {
  const auto held = claims_.held(claim.ticket).value_or(nullptr);
  if (held == nullptr) return Errc::not_held;
  Args args;
  args << std::int64_t{backend().lease_of(claim).count()} << held->resource << held->id
       << std::string_view(held->owner);
  auto renewed = backend().renew(sql::kRenewClaim, args, until, held->bell);
  if (!renewed) return std::move(renewed).error();
  if (renewed->matched == 0) return Errc::not_held;
  backend().holds().watch(Holds::Table::claim, held->id, held->owner, held);
  return {};
}

// A writer that becomes a reader lets go of its bell: those whose turn that is hear it.
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
  const bool lets_in = held.mode != wanted.mode;
  const auto asked = Clock::now();
  const auto lease = backend().lease_of(wanted);
  const std::uint32_t mode = wanted.mode == Mode::shared ? 2 : 1;
  const std::string identity = identity_of(wanted);
  Args args;
  args << mode << wanted.permits << std::string_view(identity)
       << std::uint32_t{state->bell != nullptr && !lets_in}
       << std::int64_t{lease.count()} << state->resource << state->id
       << std::string_view(state->owner) << mode << wanted.permits;
  auto amended = backend().run(sql::kAmendClaim, args, until, state->bell);
  if (!amended) return std::move(amended).error();
  if (amended->matched == 0) return Errc::not_held;
  if (lets_in) release_bell(*state, until);
  publish(held.ticket, *state);
  backend().holds().watch(Holds::Table::claim, state->id, state->owner,
                          claims_.held(held.ticket).value_or(nullptr));
  state->lease = lease;
  state->asked = asked;
  return granted(*state, asked);
}

Result<std::vector<engine::Entry>> QueueResource::survey(std::size_t limit,
                                                         Deadline until) {
  return list(sql::kClaims, limit, until);
}

Result<void> QueueResource::evict(std::string_view owner, Deadline until) {
  return evict_by(sql::kEvictClaim, owner, until);
}

}  // namespace holdfast::mysql
