#include <utility>

#include "engines/mysql/lock.h"
#include "engines/mysql/sql.h"

namespace holdfast::mysql {

using engine::Claim;
using engine::Deadline;

Result<void> LockResource::drop(const Claim& claim, Deadline until) {
  const auto place = claims_.find(claim.ticket);
  if (place == nullptr) return Errc::not_held;
  claims_.withdraw(claim.ticket);
  auto dropped = give_up(*place, until);
  if (dropped || dropped.error().code == Errc::not_held) claims_.erase(claim.ticket);
  return dropped;
}

// Of a place that only waited, there is nothing to be found.
Result<void> LockResource::give_up(Place& place, Deadline until) {
  place.watch.reset();
  if (auto stopped = stop_waiting(place, until); !stopped) return stopped;
  if (!place.doubtful) {
    if (auto hidden = hide(place, until); !hidden && !place.granted) return hidden;
  }
  if (!place.granted && !place.doubtful) {
    unring(place, until);
    return {};
  }
  if (place.doubtful) {
    Args args;
    args << std::string_view(place.taking.owner) << place.taking.id;
    auto released = backend().run(sql::kReleaseInDoubt, args, until);
    if (!released) return std::move(released).error();
    unring(place, until);
    return hide(place, until);
  }
  if (place.bell != nullptr && place.bell->is_cut()) place.bell.reset();
  const bool ring = place.bell != nullptr;
  const std::string bell = bell_of(place.taking);
  Args args;
  args << place.taking.id << std::string_view(place.taking.owner);
  if (ring) args << std::string_view(bell);
  auto released = backend().run(ring ? sql::kRelease : sql::kReleaseSilently, args,
                                until, place.bell);
  if (!released) return std::move(released).error();
  if (released->matched == 0) {
    unring(place, until);
    return Errc::not_held;
  }
  if (ring) --place.bell->bells;
  place.bell.reset();
  return {};
}

void LockResource::unring(Place& place, Deadline until) {
  const auto connection = std::exchange(place.bell, nullptr);
  if (connection == nullptr) return;
  --connection->bells;
  if (connection->is_cut()) return;
  const std::string bell = bell_of(place.taking);
  Args args;
  args << std::string_view(bell);
  (void)backend().run(sql::kUnring, args, until, connection);
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
  const auto place = claims_.find(held.ticket);
  if (place == nullptr || !place->granted) return Errc::not_held;
  const auto asked = Clock::now();
  const std::string identity = identity_of(wanted);
  Args args;
  args << std::int64_t{backend().lease_of(wanted).count()} << std::string_view(identity)
       << place->taking.id << std::string_view(place->taking.owner);
  auto amended = backend().run(sql::kRename, args, until, place->bell);
  if (!amended) return std::move(amended).error();
  if (amended->matched == 0) return Errc::not_held;
  place->asked = asked;
  return granted(*place, wanted, asked);
}

Result<std::vector<engine::Entry>> LockResource::survey(std::size_t limit,
                                                        Deadline until) {
  return list(sql::kHolder, limit, until);
}

Result<void> LockResource::evict(std::string_view owner, Deadline until) {
  return evict_by(sql::kEvict, owner, until);
}

}  // namespace holdfast::mysql
