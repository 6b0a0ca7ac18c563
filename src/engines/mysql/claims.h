// engines/mysql/claims.h - what all resources with claims have in common.

#pragma once

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "engines/kit/claim_table.h"
#include "engines/mysql/resource.h"

namespace holdfast::mysql {

// A granted claim, as `renew` sees it, whatever another call does with it meanwhile.
struct HeldClaim {
  std::uint64_t resource;
  std::uint64_t id;  // of the row that says that it is granted
  std::string owner;
  std::shared_ptr<Connection> connection;  // it has the claim's bell, if any has
};

// `State` is what the client knows of one claim.
template <class State>
class ClaimsResource : public MysqlResource {
 public:
  using MysqlResource::MysqlResource;

  Result<void> drop(const engine::Claim& claim, engine::Deadline until) final {
    const auto state = claims_.find(claim.ticket);
    if (state == nullptr) return Errc::not_held;
    claims_.withdraw(claim.ticket);
    auto dropped = give_up(*state, until);
    if (dropped || dropped.error().code == Errc::not_held) claims_.erase(claim.ticket);
    return dropped;
  }

 protected:
  // The time of the row of a waiter, unless the waiter writes it again.
  static constexpr std::chrono::microseconds kWaiterLease = std::chrono::seconds(10);

  virtual Result<void> give_up(State& state, engine::Deadline until) = 0;

  void publish(engine::Ticket ticket, HeldClaim held) {
    claims_.publish(ticket, std::make_shared<const HeldClaim>(std::move(held)));
  }
  std::shared_ptr<const HeldClaim> held_claim(engine::Ticket ticket) const {
    return claims_.held(ticket).value_or(nullptr);
  }

  // Extends a granted claim by one statement. Its row is watched from then on.
  Result<void> renew_by(const Sql& sql, Args& args,
                        const std::shared_ptr<const HeldClaim>& held,
                        HoldMonitor::Table table, engine::Deadline until) {
    auto renewed = backend().renew(sql, args, until, held->connection);
    if (!renewed) return std::move(renewed).error();
    if (renewed->matched == 0) return Errc::not_held;
    backend().hold_monitor().watch(table, held->id, held->owner, held);
    return {};
  }

  // Returns the part of a lease that is left since it was granted.
  static engine::Lease left_of(engine::Lease lease, Clock::time_point granted_at,
                               Clock::time_point now) {
    const auto spent = std::max(now - granted_at, Clock::duration::zero());
    return std::max(lease - spent, engine::Lease::zero());
  }

  kit::ClaimTable<State, std::shared_ptr<const HeldClaim>> claims_;
};

}  // namespace holdfast::mysql
