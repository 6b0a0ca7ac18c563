#include <algorithm>
#include <utility>

#include "base/common_failures.h"
#include "engines/zookeeper/semaphore.h"

namespace holdfast::zookeeper {

using engine::Claim;
using engine::Deadline;

// Before anything is made below it.
Result<void> SemaphoreResource::check(Deadline until) {
  if (known_.load()) return {};
  auto handle = backend().sessions().handle(until);
  if (!handle) return std::move(handle).error();
  Batch batch(*std::move(handle));
  const auto listed = batch.children(path());
  if (auto done = batch.wait(until); !done) return done;
  const auto foreign = [](const std::string& child) {
    return !belongs(role_of(child), engine::Kind::semaphore);
  };
  const Answer& list = batch[listed];
  if (list.stat.dataLength != 0 ||
      std::any_of(list.names.begin(), list.names.end(), foreign)) {
    return used_by_another_kind(path());
  }
  known_.store(true);
  return {};
}

// Whether there will ever be as many permits as asked for, as far as is known.
Result<void> SemaphoreResource::is_enough(const SemaphoreView& view,
                                          const Claim& claim) const {
  if (!view.is_read()) return {};
  const auto stored = permits_.read(view.permits());
  if (!stored) return stored.error();
  if (!stored->has_number || claim.permits <= stored->number) return {};
  return base::too_many_permits(path(), claim.permits, stored->number);
}

// The first to name a number stores it.
Result<std::uint32_t> SemaphoreResource::capacity_of(const SemaphoreView& view,
                                                     const Claim& claim,
                                                     Deadline until) {
  auto stored = permits_.read(view.permits());
  if (!stored) return std::move(stored).error();
  std::int64_t number = stored->number;
  if (!stored->has_number && claim.capacity > 0) {
    auto written = permits_.exchange({}, claim.capacity, engine::Ticket::none, until);
    if (!written) return std::move(written).error();
    number = written->now.number;
  }
  return static_cast<std::uint32_t>(std::max<std::int64_t>(number, 0));
}

// Whether there were permits enough. We are the first in line: others can only give
// back.
Result<bool> SemaphoreResource::take(ClaimState& state, const Claim& claim,
                                     SemaphoreView& view, Deadline until) {
  if (!view.is_read()) {
    const auto there = view.fetch(state, until);
    if (!there.has_value()) return there.error();
    if (!*there) return Errc::not_held;
  }
  const auto capacity = capacity_of(view, claim, until);
  if (!capacity) return capacity.error();
  if (claim.permits > *capacity)
    return base::too_many_permits(path(), claim.permits, *capacity);
  if (view.taken().size() + claim.permits > *capacity) return false;
  if (auto made = make_leases(state, claim, until); !made) {
    return std::move(made).error();
  }
  return true;
}

// The nodes of the permits are made and the place in line is left, all or nothing. What
// is written into the place on the way tells the number of the transaction, which is
// that of the permits too. Errc::not_held: the place was removed.
Result<void> SemaphoreResource::make_leases(ClaimState& state, const Claim& claim,
                                            Deadline until) {
  const std::string name =
      leases_ + "/" + protection(state.id) + std::string(base_of(NodeRole::lease));
  std::vector<Op> ops{{Op::What::set, state.node, std::string(payload_of(claim))}};
  for (std::uint32_t i = 0; i < claim.permits; ++i) {
    ops.push_back({Op::What::create, name, std::string(payload_of(claim)),
                   Node::ephemeral_sequential});
  }
  ops.push_back({Op::What::remove, state.node});
  for (;;) {
    auto handle = backend().sessions().handle(until);
    if (!handle) return std::move(handle).error();
    if ((*handle)->id() != state.session) return Errc::not_held;
    Batch batch(*std::move(handle));
    state.leases_may_exist = true;
    const auto all = batch.multi(ops);
    if (auto done = batch.wait(until); !done) return done;
    state.leases_may_exist = false;
    if (batch[all].ok()) {
      state.token = static_cast<std::uint64_t>(batch.op_stat(0).mzxid);
      state.leases.clear();
      for (std::size_t i = 1; i <= claim.permits; ++i) {
        state.leases.push_back(batch.op_path(i));
      }
      leave_queue(state);
      return {};
    }
    if (batch.op_code(0) == ZNONODE) return Errc::not_held;
    if (batch[all].code != ZNONODE)
      return failure_of(batch[all].code, "create " + name);
    auto made = backend().make_parents(name, until);
    if (!made) return made;
  }
}

void SemaphoreResource::leave_queue(ClaimState& state) {
  state.node.clear();
  state.own_watch.reset();
  state.obstacle_watch.reset();
  state.capacity_watch.reset();
}

// Whether the leases whose answer was lost had been made.
Result<bool> SemaphoreResource::recover(ClaimState& state, Deadline until) {
  auto handle = backend().sessions().handle(until);
  if (!handle) return std::move(handle).error();
  if ((*handle)->id() != state.session) return false;
  Batch batch(*handle);
  batch.sync(leases_);
  const auto listed = batch.children(leases_);
  if (auto done = batch.wait(until); !done) return std::move(done).error();
  const std::string mine = protection(state.id);
  std::vector<std::string> found;
  Batch look(*std::move(handle));
  for (const std::string& each : batch[listed].names) {
    if (!each.starts_with(mine)) continue;
    found.push_back(leases_ + "/" + each);
    look.exists(found.back());
  }
  if (auto done = look.wait(until); !done) return std::move(done).error();
  state.leases_may_exist = false;
  state.leases.clear();
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (!look[i].ok() || look[i].stat.ephemeralOwner != state.session) continue;
    state.token = static_cast<std::uint64_t>(look[i].stat.czxid);
    state.leases.push_back(std::move(found[i]));
  }
  if (state.leases.empty()) return false;
  leave_queue(state);
  return true;
}

}  // namespace holdfast::zookeeper
