// SPDX-License-Identifier: Apache-2.0

// engines/mysql/claims.h - what all resources with claims have in common.

#pragma once

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "engines/kit/claim_table.h"
#include "engines/mysql/errors.h"
#include "engines/mysql/holder_columns.h"
#include "engines/mysql/listing.h"
#include "engines/mysql/resource.h"
#include "engines/mysql/transport/sql.h"

namespace holdfast::mysql {

// This is the bell of a claim, if this client has it: see wakeups.h.
class HeldBell {
 public:
  bool is_held() const noexcept { return connection_ != nullptr; }
  const std::string& name() const noexcept { return name_; }
  // Returns the connection that has it, or null.
  const std::shared_ptr<Connection>& connection() const noexcept { return connection_; }

  // Notes that a statement on that connection has taken the bell.
  void taken(std::string name, const std::shared_ptr<Connection>& connection) {
    ++connection->bells;
    adopt(std::move(name), connection);
  }

  // Does the same, if the thread that waited for the bell has already counted it.
  void adopt(std::string name, const std::shared_ptr<Connection>& connection) {
    name_ = std::move(name);
    connection_ = connection;
  }

  // Forgets the bell of a cut connection, which has none any more.
  void forget_if_cut() noexcept {
    if (is_held() && connection_->is_cut()) connection_.reset();
  }

  // Notes that the statement that ended the claim has also released the bell.
  void released() noexcept {
    if (is_held()) --connection_->bells;
    connection_.reset();
  }

  // Releases the bell by a statement of its own, if it is held.
  void release(Pool& pool) noexcept {
    const auto connection = std::exchange(connection_, nullptr);
    if (connection != nullptr) pool.release_bell(connection, std::move(name_));
  }

 private:
  std::string name_;
  std::shared_ptr<Connection> connection_;
};

// This is what the client knows of one claim, whatever its kind.
struct ClaimState {
  std::string owner;  // empty means that it was never attempted
  HolderColumns holder;
  std::uint64_t resource = 0;  // the row of its name
  std::chrono::microseconds lease{};
  bool in_doubt = false;  // a statement that may have taken it was not answered
  bool granted = false;
  FencingToken token;
  std::uint32_t tokens = 1;
  Clock::time_point granted_at;
  HeldBell bell;
  std::shared_ptr<BellWait> wait;
  int failures = 0;  // of such waits
  std::shared_ptr<const Poller::Watch> watch;
};

// This is a granted claim as `renew` sees it, whatever another call does with it
// meanwhile.
struct HeldClaim {
  std::uint64_t resource;
  std::uint64_t id;  // of the row that says that it is granted
  std::string owner;
  std::shared_ptr<Connection> connection;  // it has the claim's bell, if any has
};

// `State` is a ClaimState, with what the kind needs besides.
template <class State>
class ClaimsResource : public MysqlResource {
 public:
  using MysqlResource::MysqlResource;

  Result<void> drop(const engine::Claim& claim, engine::Deadline until) final {
    claims_.withdraw(claim.ticket);  // first, so that no renewal ends it meanwhile
    const auto state = claims_.find(claim.ticket);
    if (state == nullptr) return Errc::not_held;
    auto dropped = give_up(*state, until);
    if (dropped || dropped.error().code == Errc::not_held) claims_.erase(claim.ticket);
    return dropped;
  }

  Result<std::vector<engine::Entry>> survey(std::size_t limit,
                                            engine::Deadline until) override {
    return survey_claims(backend(), row(), limit, until);
  }
  Result<void> evict(std::string_view owner, engine::Deadline until) override {
    return end_claim(owner, until);
  }

 protected:
  using HeldClaimPtr = std::shared_ptr<const HeldClaim>;

  // The row of a waiter lasts for so long, unless the waiter writes it again.
  static constexpr std::chrono::microseconds kWaiterLease = std::chrono::seconds(10);

  virtual Result<void> give_up(State& state, engine::Deadline until) = 0;

  // Sets what every statement names: the owner, the lease and the row of the name.
  Result<void> prepare(State& state, const engine::Claim& claim,
                       engine::Deadline until) {
    if (state.owner.empty()) {
      state.owner = backend().names().owner_of(claim.ticket);
      state.holder = holder_of(claim);
      state.holder.name_this_thread();
    }
    state.lease = backend().lease_of(claim);
    const auto id = row().need(until);
    if (!id) return id.error();
    state.resource = *id;
    return {};
  }

  // Lets the poller wake the waiter, where there is no bell for it.
  Result<void> watch_by_poller(State& state, const engine::Waker& waker,
                               engine::Deadline until) {
    auto watch = backend().poller().watch(row().name(), waker, until);
    if (!watch) {
      const bool is_full = watch.error().code == Errc::full;
      return Failure(is_full ? Errc::full : Errc::unavailable, watch.error().context);
    }
    state.watch = *std::move(watch);
    return {};
  }

  Result<void> stop_wait(State& state, engine::Deadline until,
                         Errc late = Errc::outcome_unknown) {
    if (state.wait == nullptr || state.wait->stop(until)) return {};
    return still_waiting(row().name(), late);
  }

  static engine::Granted granted(const State& state, Clock::time_point asked) {
    const auto spent = std::max(asked - state.granted_at, Clock::duration::zero());
    return {.token = state.token,
            .tokens = state.tokens,
            .lease = std::max<engine::LeaseTime>(state.lease - spent, {})};
  }

  static HeldClaimPtr held_by(const State& state, std::uint64_t id,
                              std::shared_ptr<Connection> bell) {
    return std::make_shared<const HeldClaim>(
        HeldClaim{state.resource, id, state.owner, std::move(bell)});
  }
  void publish(engine::Ticket ticket, const State& state, std::uint64_t id) {
    claims_.publish(ticket, held_by(state, id, state.bell.connection()));
  }
  HeldClaimPtr held_claim(engine::Ticket ticket) const {
    return claims_.held(ticket).value_or(nullptr);
  }

  // Extends a granted claim by one statement. Its row is monitored from then on.
  Result<void> renew_by(const Sql& sql, const Args& args, engine::Ticket ticket,
                        const HeldClaimPtr& held, HoldMonitor::Table table,
                        engine::Deadline until) {
    auto renewed = backend().renew(sql, args, until, held->connection);
    if (!renewed) return std::move(renewed).error();
    if (renewed->matched == 0) return lost(ticket);
    backend().hold_monitor().watch(table, held->id, held->owner, held);
    return {};
  }

  // Forgets a granted claim that is gone, because no `drop` follows, and releases its
  // bell. Another call may be using the state, so nothing is changed there.
  Failure lost(engine::Ticket ticket) {
    if (const auto last = claims_.lose(ticket); last && last->held->connection) {
      HeldBell bell;
      bell.adopt(last->state->bell.name(), last->held->connection);
      bell.release(backend().pool());
    }
    return Errc::not_held;
  }

  // Ends a claim by one statement, which also releases its bell if that is held.
  Result<void> end_by(const Sql& with_bell, const Sql& silently, State& state,
                      engine::Deadline until) {
    state.bell.forget_if_cut();
    const bool rings = state.bell.is_held();
    Args args(state.resource, state.owner);
    if (rings) args << state.bell.name();
    auto ended = backend().run(rings ? with_bell : silently, args, until,
                               state.bell.connection());
    if (!ended) return std::move(ended).error();
    if (ended->matched == 0) {
      release_bell(state);
      return Errc::not_held;
    }
    state.bell.released();
    return {};
  }

  void release_bell(State& state) noexcept { state.bell.release(backend().pool()); }

  kit::ClaimTable<State, HeldClaimPtr> claims_;
};

}  // namespace holdfast::mysql
