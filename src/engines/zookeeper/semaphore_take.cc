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
  auto handle = backend().link().handle(until);
  if (!handle) return std::move(handle).error();
  Batch batch(*std::move(handle));
  const auto listed = batch.children(path());
  if (auto done = batch.wait(until); !done) return done;
  const auto foreign = [](const std::string& child) {
    return !belongs(sort_of(child), engine::Kind::semaphore);
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
Result<void> SemaphoreResource::is_enough(const Stock& stock,
                                          const Claim& claim) const {
  if (!stock.arrived()) return {};
  const auto cell = permits_.read(stock.permits());
  if (!cell) return cell.error();
  if (!cell->there || claim.permits <= cell->number) return {};
  return base::too_many_permits(path(), claim.permits, cell->number);
}

// The first to name a number stores it.
Result<std::uint32_t> SemaphoreResource::capacity_of(const Stock& stock,
                                                     const Claim& claim,
                                                     Deadline until) {
  auto cell = permits_.read(stock.permits());
  if (!cell) return std::move(cell).error();
  std::int64_t number = cell->number;
  if (!cell->there && claim.capacity > 0) {
    auto stored = permits_.exchange({}, claim.capacity, engine::Ticket::none, until);
    if (!stored) return std::move(stored).error();
    number = stored->now.number;
  }
  return static_cast<std::uint32_t>(std::max<std::int64_t>(number, 0));
}

// Whether there were permits enough. We are the first in line: others can only give
// back.
Result<bool> SemaphoreResource::take(Place& place, const Claim& claim, Stock& stock,
                                     Deadline until) {
  if (!stock.arrived()) {
    const auto there = stock.fetch(place, until);
    if (!there.has_value()) return there.error();
    if (!*there) return Errc::not_held;
  }
  const auto capacity = capacity_of(stock, claim, until);
  if (!capacity) return capacity.error();
  if (claim.permits > *capacity)
    return base::too_many_permits(path(), claim.permits, *capacity);
  if (stock.taken().size() + claim.permits > *capacity) return false;
  if (auto made = make_leases(place, claim, until); !made) {
    return std::move(made).error();
  }
  return true;
}

// The nodes of the permits are made and the place in line is left, all or nothing. What
// is written into the place on the way tells the number of the transaction, which is
// that of the permits too. Errc::not_held: the place was removed.
Result<void> SemaphoreResource::make_leases(Place& place, const Claim& claim,
                                            Deadline until) {
  const std::string name =
      leases_ + "/" + protection(place.id) + std::string(base_of(Sort::lease));
  std::vector<Op> ops{{Op::What::set, place.node, std::string(content(claim))}};
  for (std::uint32_t i = 0; i < claim.permits; ++i) {
    ops.push_back({Op::What::create, name, std::string(content(claim)),
                   Node::ephemeral_sequential});
  }
  ops.push_back({Op::What::remove, place.node});
  for (;;) {
    auto handle = backend().link().handle(until);
    if (!handle) return std::move(handle).error();
    if ((*handle)->id() != place.session) return Errc::not_held;
    Batch batch(*std::move(handle));
    place.taking = true;
    const auto all = batch.all(ops);
    if (auto done = batch.wait(until); !done) return done;
    place.taking = false;
    if (batch[all].ok()) {
      place.token = static_cast<std::uint64_t>(batch.op_stat(0).mzxid);
      place.leases.clear();
      for (std::size_t i = 1; i <= claim.permits; ++i) {
        place.leases.push_back(batch.op_path(i));
      }
      leave_line(place);
      return {};
    }
    if (batch.op_code(0) == ZNONODE) return Errc::not_held;
    if (batch[all].code != ZNONODE)
      return failure_of(batch[all].code, "create " + name);
    auto made = backend().make_parents(name, until);
    if (!made) return made;
  }
}

void SemaphoreResource::leave_line(Place& place) {
  place.node.clear();
  place.own.reset();
  place.ahead.reset();
  place.stock.reset();
}

// Whether the leases whose answer was lost had been made.
Result<bool> SemaphoreResource::recover(Place& place, Deadline until) {
  auto handle = backend().link().handle(until);
  if (!handle) return std::move(handle).error();
  if ((*handle)->id() != place.session) return false;
  Batch batch(*handle);
  batch.sync(leases_);
  const auto listed = batch.children(leases_);
  if (auto done = batch.wait(until); !done) return std::move(done).error();
  const std::string mine = protection(place.id);
  std::vector<std::string> found;
  Batch look(*std::move(handle));
  for (const std::string& each : batch[listed].names) {
    if (!each.starts_with(mine)) continue;
    found.push_back(leases_ + "/" + each);
    look.exists(found.back());
  }
  if (auto done = look.wait(until); !done) return std::move(done).error();
  place.taking = false;
  place.leases.clear();
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (!look[i].ok() || look[i].stat.ephemeralOwner != place.session) continue;
    place.token = static_cast<std::uint64_t>(look[i].stat.czxid);
    place.leases.push_back(std::move(found[i]));
  }
  if (place.leases.empty()) return false;
  leave_line(place);
  return true;
}

}  // namespace holdfast::zookeeper
