#include "engines/quorum/bid.h"

#include <utility>
#include <variant>

namespace holdfast::quorum {

using engine::Blocked;
using engine::Claim;
using engine::Deadline;
using engine::Granted;
using engine::Session;
using engine::Verdict;

Spot::Spot(engine::Address address, std::size_t nodes)
    : address_(std::move(address)), resources_(nodes) {}

Result<engine::Resource*> Spot::at(std::size_t node, Session& session) {
  auto& resource = resources_[node];
  if (resource == nullptr) {
    auto bound = session.bind(address_);
    if (!bound) return std::move(bound).error();
    resource = *std::move(bound);
  }
  return resource.get();
}

Bid::Bid(std::shared_ptr<Spot> spot, const Claim& claim, std::size_t nodes)
    : spot_(std::move(spot)), seats_(nodes) {
  for (Seat& seat : seats_) put(claim, seat);
}

// The payload is copied, because the caller's may be gone before the slowest node is
// asked.
void Bid::put(const Claim& claim, Seat& seat) {
  const auto ticket = seat.claim.ticket;
  seat.payload = claim.payload;
  seat.claim = claim;
  seat.claim.payload = seat.payload;
  if (ticket != engine::Ticket::none) seat.claim.ticket = ticket;
}

Result<Verdict> Bid::attempt(std::size_t node, Session& session, Ears* ears,
                             Deadline until) {
  if (withdrawn_.load()) return Failure(Errc::unavailable, "it was not asked in time");
  const auto resource = spot_->at(node, session);
  if (!resource) return resource.error();
  Seat& seat = seats_[node];
  const auto ask = [&] {
    auto verdict = (*resource)->attempt(seat.claim, nullptr, until);
    const bool blocked = verdict && std::holds_alternative<Blocked>(*verdict);
    seat.standing = blocked ? Standing::never : Standing::there;
    return verdict;
  };
  auto verdict = ask();
  if (seat.standing == Standing::there || ears == nullptr || ears->listens(node)) {
    return verdict;
  }
  // The claim may have become free before the watch began, so it is attempted once
  // more.
  if (ears->listen(node, **resource, until)) verdict = ask();
  return verdict;
}

Result<Granted> Bid::amend(std::size_t node, Session& session, const Claim& wanted,
                           Deadline until) {
  Seat& seat = seats_[node];
  if (seat.standing != Standing::there) return Errc::not_held;
  const auto resource = spot_->at(node, session);
  if (!resource) return resource.error();
  Seat next = seat;
  put(wanted, next);
  auto amended = (*resource)->amend(seat.claim, next.claim, until);
  if (amended) put(wanted, seat);
  return amended;
}

Result<void> Bid::drop(std::size_t node, Session& session, Deadline until) {
  Seat& seat = seats_[node];
  if (seat.standing == Standing::dropped) return {};
  if (seat.standing != Standing::there) return Errc::not_held;
  const auto resource = spot_->at(node, session);
  if (!resource) return resource.error();
  auto dropped = (*resource)->drop(seat.claim, until);
  if (dropped) seat.standing = Standing::dropped;
  if (!dropped && dropped.error().code == Errc::not_held) {
    seat.standing = Standing::absent;
  }
  return dropped;
}

bool Bid::falls_due(std::size_t node) noexcept {
  Seat& seat = seats_[node];
  return seat.standing == Standing::there && !std::exchange(seat.owed, true);
}

const Claim* Bid::claim(std::size_t node) const noexcept {
  const Seat& seat = seats_[node];
  return seat.standing == Standing::there ? &seat.claim : nullptr;
}

}  // namespace holdfast::quorum
