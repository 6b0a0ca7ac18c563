#include "engines/etcd/double_barrier.h"

#include <algorithm>
#include <utility>

#include "engines/etcd/errors.h"

namespace holdfast::etcd {

using engine::Claim;
using engine::Deadline;

namespace {

// In the answers, after the claim's own key.
constexpr int kParties = 1;
constexpr int kReady = 2;
constexpr int kBarrierName = 3;

}  // namespace

DoubleBarrierResource::DoubleBarrierResource(std::shared_ptr<Backend> backend,
                                             std::string key)
    : ClaimResource(std::move(backend), std::move(key), engine::Kind::double_barrier),
      waiters_(below() + "waiters/"),
      ready_key_(below() + "ready"),
      ready_(this->backend(), ready_key_, RegisterFormat::barrier) {}

std::string DoubleBarrierResource::new_key(std::int64_t lease, const Claim& claim) {
  return waiters_ + id_of(lease, claim.ticket);
}

void DoubleBarrierResource::add_queries(Txn::Branch branch, const Claim&,
                                        std::int64_t revision) const {
  wire::RangeRequest line = in_order_below(below());
  line.set_keys_only(true);
  branch.range(std::move(line));
  branch.get(ready_key_);
  if (revision == 0) branch.get(key());
}

// A claim that finds the barrier open joins the claims inside and writes `ready`
// again, so that the next one can see that a claim is inside. If none is inside, all of
// them may have died without closing the barrier, and it is closed first.
Result<ClaimResource::QueueSnapshot> DoubleBarrierResource::evaluate(
    const Claim& claim, ClaimState& state, const wire::TxnResponse& answer,
    Deadline until) {
  if (auto why = conflict_at_name(found(answer, kBarrierName))) return *std::move(why);
  const wire::KeyValue* const ready = found(answer, kReady);
  const std::int64_t opened = ready != nullptr ? ready->mod_revision() : 0;
  std::size_t parties = 0;
  bool anybody = false;
  for (const wire::KeyValue& kv : ranged(answer, kParties).kvs()) {
    if (is_foreign(kv.key())) return used_by_another_kind(key());
    if (role_of(suffix_of(kv.key())) != KeyRole::waiter) continue;
    ++parties;
    anybody = anybody || kv.create_revision() < opened;
  }
  QueueSnapshot snapshot;
  snapshot.admitted = opened > state.revision;
  if (snapshot.admitted) return snapshot;
  if (ready != nullptr && !anybody) {
    auto shut = ready_.exchange({1, static_cast<std::uint64_t>(opened)}, std::nullopt,
                                engine::Ticket::none, until);
    if (!shut) return std::move(shut).error();
    snapshot.read_again = true;
    return snapshot;
  }
  if (ready != nullptr || parties >= claim.capacity) {
    const auto opens = open_or_join(state, answer, until);
    if (!opens.has_value()) return opens.error();
    snapshot.admitted = *opens;
    snapshot.read_again = !*opens;
    return snapshot;
  }
  snapshot.ahead = parties;
  snapshot.obstacle = {.key = ready_key_, .what = WatchFor::all};
  return snapshot;
}

// `ready` may look the same in the next round. So the transaction requires the claim
// for which it is made and the others that were counted: if it arrives when they have
// left, it opens nothing.
Result<bool> DoubleBarrierResource::open_or_join(const ClaimState& state,
                                                 const wire::TxnResponse& seen,
                                                 Deadline until) {
  const wire::KeyValue* const ready = found(seen, kReady);
  Txn txn;
  txn.if_changed(ready_key_, ready != nullptr ? ready->mod_revision() : 0);
  txn.then().put(ready_key_, ready != nullptr ? ready->value() : "");
  txn.if_created(state.key, state.revision);
  int conditions = 2;
  for (const wire::KeyValue& kv : ranged(seen, kParties).kvs()) {
    if (ready != nullptr || conditions == kMostConditions) break;
    if (role_of(suffix_of(kv.key())) != KeyRole::waiter || kv.key() == state.key)
      continue;
    txn.if_created(kv.key(), kv.create_revision());
    ++conditions;
  }
  const auto answer = backend().calls().txn(txn.request(), until);
  if (!answer) return answer.error();
  return answer->succeeded();
}

// The last claim that leaves closes the barrier, also if the answer to its leaving was
// lost.
Result<void> DoubleBarrierResource::drop(const Claim& claim, Deadline until) {
  const auto state = claims().find(claim.ticket);
  const bool was_in = state != nullptr && state->granted;
  auto dropped = ClaimResource::drop(claim, until);
  const bool out = dropped || dropped.error().code == Errc::not_held;
  if (out && was_in) (void)close_if_empty(until);
  return dropped;
}

Result<void> DoubleBarrierResource::close_if_empty(Deadline until) {
  Txn txn;
  txn.if_none_below(waiters_);
  txn.then().erase(ready_key_);
  auto answer = backend().calls().txn(txn.request(), until);
  if (!answer) return std::move(answer).error();
  return {};
}

Result<engine::Value> DoubleBarrierResource::load(Deadline until) {
  return ready_.load(until);
}

Result<engine::Exchanged> DoubleBarrierResource::exchange(
    const engine::Value& from, std::optional<std::int64_t> to, engine::Ticket ticket,
    Deadline until) {
  return ready_.exchange(from, to, ticket, until);
}

}  // namespace holdfast::etcd
