#include <utility>

#include "engines/mysql/lock.h"
#include "engines/mysql/transport/sql.h"

namespace holdfast::mysql {

using engine::Claim;
using engine::Deadline;

Result<void> LockResource::drop(const Claim& claim, Deadline until) {
  const auto state = claims_.find(claim.ticket);
  if (state == nullptr) return Errc::not_held;
  claims_.withdraw(claim.ticket);
  auto dropped = give_up(*state, until);
  if (dropped || dropped.error().code == Errc::not_held) claims_.erase(claim.ticket);
  return dropped;
}

// Of a place that only waited, there is nothing to be found.
Result<void> LockResource::give_up(ClaimState& state, Deadline until) {
  state.watch.reset();
  if (auto stopped = stop_waiting(state, until); !stopped) return stopped;
  if (!state.doubtful) {
    if (auto hidden = hide(state, until); !hidden && !state.granted) return hidden;
  }
  if (!state.granted && !state.doubtful) {
    release_bell(state, until);
    return {};
  }
  if (state.doubtful) {
    Args args;
    args << std::string_view(state.taking.owner) << state.taking.id;
    auto released = backend().run(sql::kReleaseInDoubt, args, until);
    if (!released) return std::move(released).error();
    release_bell(state, until);
    return hide(state, until);
  }
  if (state.bell != nullptr && state.bell->is_cut()) state.bell.reset();
  const bool ring = state.bell != nullptr;
  const std::string bell = bell_of(state.taking);
  Args args;
  args << state.taking.id << std::string_view(state.taking.owner);
  if (ring) args << std::string_view(bell);
  auto released = backend().run(ring ? sql::kRelease : sql::kReleaseSilently, args,
                                until, state.bell);
  if (!released) return std::move(released).error();
  if (released->matched == 0) {
    release_bell(state, until);
    return Errc::not_held;
  }
  if (ring) --state.bell->bells;
  state.bell.reset();
  return {};
}

void LockResource::release_bell(ClaimState& state, Deadline until) {
  const auto connection = std::exchange(state.bell, nullptr);
  if (connection == nullptr) return;
  --connection->bells;
  if (connection->is_cut()) return;
  const std::string bell = bell_of(state.taking);
  Args args;
  args << std::string_view(bell);
  (void)backend().run(sql::kReleaseBell, args, until, connection);
}

Result<void> LockResource::renew(const Claim& claim, Deadline until) {
  const auto held = claims_.held(claim.ticket).value_or(nullptr);
  if (held == nullptr) return Errc::not_held;
  Args args;
  args << std::int64_t{backend().lease_of(claim).count()} << held->id
       << std::string_view(held->owner);
  auto renewed = backend().renew(sql::kRenew, args, until, held->bell);
  if (!renewed) return std::move(renewed).error();
  if (renewed->matched == 0) return Errc::not_held;
  backend().holds().watch(Holds::Table::resource, held->id, held->owner, held);
  return {};
}

Result<engine::Granted> LockResource::amend(const Claim& held, const Claim& wanted,
                                            Deadline until) {
  const auto state = claims_.find(held.ticket);
  if (state == nullptr || !state->granted) return Errc::not_held;
  const auto asked = Clock::now();
  const std::string identity = identity_of(wanted);
  Args args;
  args << std::int64_t{backend().lease_of(wanted).count()} << std::string_view(identity)
       << state->taking.id << std::string_view(state->taking.owner);
  auto amended = backend().run(sql::kRename, args, until, state->bell);
  if (!amended) return std::move(amended).error();
  if (amended->matched == 0) return Errc::not_held;
  state->asked = asked;
  return granted(*state, wanted, asked);
}

Result<std::vector<engine::Entry>> LockResource::survey(std::size_t limit,
                                                        Deadline until) {
  return list(sql::kHolder, limit, until);
}

Result<void> LockResource::evict(std::string_view owner, Deadline until) {
  return evict_by(sql::kEvict, owner, until);
}

}  // namespace holdfast::mysql
