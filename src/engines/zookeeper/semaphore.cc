// SPDX-License-Identifier: Apache-2.0

#include "engines/zookeeper/semaphore.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "base/common_failures.h"
#include "base/transient.h"
#include "engines/kit/queue_rules.h"
#include "engines/zookeeper/queue.h"
#include "engines/zookeeper/survey.h"

namespace holdfast::zookeeper {

using engine::Claim;
using engine::Deadline;
using engine::Entry;
using engine::Granted;

SemaphoreResource::SemaphoreResource(std::shared_ptr<Backend> backend, std::string path)
    : ZookeeperResource(std::move(backend), std::move(path)),
      leases_(this->path() + "/leases"),
      queue_(this->backend(), this->path() + "/locks", engine::Kind::mutex),
      permits_(this->backend(), this->path() + "/permits",
               RegisterFormat::shared_count) {}

std::vector<std::string> SemaphoreResource::directories() const {
  return {queue_.directory(), leases_};
}

std::vector<WatchTarget> SemaphoreResource::watch_targets() const {
  return {{path(), WatchFor::data},
          {path(), WatchFor::children},
          {leases_, WatchFor::data},
          {leases_, WatchFor::children},
          {permits_.path(), WatchFor::data}};
}

Result<engine::Verdict> SemaphoreResource::attempt(const Claim& claim,
                                                   const engine::Waker& waker,
                                                   Deadline until) {
  const auto asked = Clock::now();
  const auto state = state_of(claim);
  if (state->granted && is_held(claim, until)) return grant(claim, *state, asked);
  if (state->leases_may_exist) {
    const auto done = recover(*state, until);
    if (!done.has_value()) return done.error();
    if (*done) return grant(claim, *state, asked);
  }
  if (auto good = check(until); !good) return std::move(good).error();
  SemaphoreView view(backend(), leases_, permits_.path());
  if (waker != nullptr)
    state->capacity_watch = view.watch(SemaphoreView::What::permits, waker);
  const auto admission =
      queue_.poll(*state, claim.mode, payload_of(claim), waker, until, &view);
  if (!admission) return admission.error();
  if (!admission->admitted) {
    const auto enough = is_enough(view, claim);
    if (!enough) (void)leave(claim, until);
    if (!enough) return enough.error();
    if (waker == nullptr) claims().erase(claim.ticket);
    return engine::Verdict(engine::Blocked{kit::pause_behind(admission->ahead)});
  }
  auto taken = take(*state, claim, view, until);
  if (taken.has_value() && !*taken && waker != nullptr) {
    state->capacity_watch = view.watch(SemaphoreView::What::both, waker);
    view.not_sent();
    taken = take(*state, claim, view, until);
  }
  if (!taken.has_value() && taken.error().code == Errc::not_held) {
    state->start_again(state->session);
    return attempt(claim, waker, until);
  }
  if (!taken.has_value()) {
    if (!base::is_transient(taken.error())) (void)leave(claim, until);
    return taken.error();
  }
  if (*taken) return grant(claim, *state, asked);
  if (waker == nullptr) {
    if (auto left = leave(claim, until); !left) return std::move(left).error();
  }
  return engine::Verdict(engine::Blocked{kit::pause_behind(0)});
}

// Checks that the path is a semaphore's, before anything is created below it.
Result<void> SemaphoreResource::check(Deadline until) {
  if (known_.load()) return {};
  Batch batch(backend().sessions().handle(until));
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

// Fails if the claim asks for more permits than the capacity, as far as that is known.
Result<void> SemaphoreResource::is_enough(const SemaphoreView& view,
                                          const Claim& claim) const {
  if (!view.is_read()) return {};
  const auto stored = permits_.read(view.permits());
  if (!stored) return stored.error();
  if (!stored->has_number || claim.permits <= stored->number) return {};
  return base::too_many_permits(path(), claim.permits, stored->number);
}

// The capacity; the first claim that names one stores it.
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

// Returns whether there were enough permits. The claim is the first of the queue, so
// other claims can only give permits back.
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

// One transaction creates the leases and deletes the node in the queue. It also writes
// to that node, because the answer to this write contains the transaction's zxid, which
// is the token. Errc::not_held: the node in the queue was deleted.
Result<void> SemaphoreResource::make_leases(ClaimState& state, const Claim& claim,
                                            Deadline until) {
  const std::string name =
      leases_ + "/" + protection(state.id) + std::string(base_of(NodeRole::lease));
  std::vector<Op> ops{{Op::Type::set, state.node, std::string(payload_of(claim))}};
  for (std::uint32_t i = 0; i < claim.permits; ++i) {
    ops.push_back({Op::Type::create, name, std::string(payload_of(claim)),
                   Node::ephemeral_sequential});
  }
  ops.push_back({Op::Type::remove, state.node});
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

// Returns whether the leases exist for which the answer was lost.
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

Result<void> SemaphoreResource::leave(const Claim& claim, Deadline until) {
  auto left = drop(claim, until);
  if (!left && left.error().code == Errc::not_held) return {};
  return left;
}

Result<Granted> SemaphoreResource::amend(const Claim& held, const Claim& wanted,
                                         Deadline until) {
  const auto send = [&](ClaimState& state, Batch& batch) -> Result<void> {
    if (wanted.permits > state.leases.size()) {
      return base::cannot_grow(path());
    }
    for (std::size_t i = 0; i < state.leases.size(); ++i) {
      if (i >= wanted.permits) {
        batch.remove(state.leases[i]);
      } else if (!wanted.payload.empty()) {
        batch.set(state.leases[i], wanted.payload, kAnyVersion);
      } else {
        batch.exists(state.leases[i]);
      }
    }
    return {};
  };
  const auto finish = [&](ClaimState& state, const Batch& batch) -> Result<void> {
    for (std::size_t i = 0; i < wanted.permits; ++i) {
      const int code = batch[i].code;
      if (code == ZNONODE) return Errc::not_held;
      if (code != ZOK) return failure_of(code, "change " + state.leases[i]);
    }
    state.leases.resize(wanted.permits);
    return {};
  };
  return change(held, wanted, until, send, finish);
}

Result<engine::Value> SemaphoreResource::load(Deadline until) {
  return permits_.load(until, [this](Batch& batch) { arm(batch); });
}

Result<engine::Value> SemaphoreResource::add(std::int64_t by, engine::Ticket ticket,
                                             Deadline until) {
  return permits_.add(by, ticket, until);
}

Result<engine::Exchanged> SemaphoreResource::exchange(const engine::Value& from,
                                                      std::optional<std::int64_t> to,
                                                      engine::Ticket ticket,
                                                      Deadline until) {
  auto changed = permits_.exchange(from, to, ticket, until);
  if (changed && changed->done && !to) remove_parts(until);
  return changed;
}

// Without its capacity the semaphore does not exist, but its nodes would keep the name
// from becoming a register. They are deleted together or not at all: a node that is in
// use, or a capacity that was written meanwhile, keeps all of them.
void SemaphoreResource::remove_parts(Deadline until) {
  auto handle = backend().sessions().handle(until);
  if (!handle) return;
  const std::array<std::string, 3> parts{permits_.path(), leases_, queue_.directory()};
  Batch seen(*handle);
  for (const std::string& each : parts) seen.get(each);
  if (!seen.wait(until)) return;
  if (!seen[0].text.empty()) return;
  std::vector<Op> ops;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!seen[i].ok()) continue;
    ops.push_back(
        {Op::Type::remove, parts[i], {}, Node::persistent, seen[i].stat.version});
  }
  if (ops.empty()) return;
  Batch batch(*std::move(handle));
  (void)batch.multi(std::move(ops));
  if (batch.wait(until)) known_ = false;
}

// The claims that have permits, each once, and then those that wait.
Result<std::vector<Entry>> SemaphoreResource::survey(std::size_t limit,
                                                     Deadline until) {
  Batch batch(backend().sessions().handle(until));
  arm(batch);
  const auto taken = batch.children(leases_);
  const auto line = batch.children(queue_.directory());
  if (auto done = batch.wait_to_read(until); !done) return std::move(done).error();
  std::vector<std::string> holders;
  std::map<std::string, std::uint32_t, std::less<>> permits;
  std::vector<std::string> leases = batch[taken].names;
  put_in_order(leases);
  for (std::string& each : leases) {
    const std::string who(protection_of(each));
    if (!who.empty() && permits[who]++ > 0) continue;
    holders.push_back(std::move(each));
  }
  auto entries = read_entries(backend(), leases_, holders, limit, 0, until);
  if (!entries) return entries;
  for (Entry& each : *entries) {
    each.granted = true;
    const auto found = permits.find(protection_of(each.owner));
    if (found != permits.end()) each.permits = found->second;
  }
  if (entries->size() >= limit) return entries;
  std::vector<std::string> waiting = batch[line].names;
  put_in_order(waiting);
  std::erase_if(waiting, [&](const std::string& each) {
    return permits.contains(protection_of(each));
  });
  auto more = read_entries(backend(), queue_.directory(), waiting,
                           limit - entries->size(), 0, until);
  if (!more) return more;
  entries->insert(entries->end(), more->begin(), more->end());
  return entries;
}

}  // namespace holdfast::zookeeper
