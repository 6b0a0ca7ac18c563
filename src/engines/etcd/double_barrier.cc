// SPDX-License-Identifier: Apache-2.0

#include "engines/etcd/double_barrier.h"

#include <algorithm>
#include <utility>

#include "engines/etcd/errors.h"

namespace holdfast::etcd {

using engine::Claim;
using engine::Deadline;

namespace {

// The indexes of the responses in a transaction's answer, after the claim's own key.
constexpr int kParties = 1;
constexpr int kReady = 2;
constexpr int kBarrierName = 3;

constexpr const char* kReadyName = "ready";
constexpr const char* kWaitersName = "waiters/";

}  // namespace

bool read_parties(const wire::RangeResponse& keys, std::string_view below,
                  std::string_view own, std::int64_t opened,
                  kit::QueueSnapshot& queue) {
  for (const wire::KeyValue& kv : keys.kvs()) {
    const KeyRole role = role_of(std::string_view(kv.key()).substr(below.size()));
    if (!belongs(role, engine::Kind::double_barrier)) return false;
    if (role != KeyRole::waiter) continue;
    if (kv.key() == own) queue.own = queue.entries.size();
    queue.entries.push_back({.granted = kv.create_revision() < opened});
  }
  return true;
}

DoubleBarrierQueue::DoubleBarrierQueue(Backend& backend, std::string key)
    : Queue(backend, std::move(key), engine::Kind::double_barrier),
      ready_key_(below() + kReadyName) {}

std::string DoubleBarrierQueue::new_key(std::int64_t lease, const Claim& claim) {
  return below() + kWaitersName + id_of(lease, claim.ticket);
}

void DoubleBarrierQueue::add_queries(Txn::Branch branch, const Claim&,
                                     std::int64_t revision) const {
  wire::RangeRequest parties = in_order_below(below());
  parties.set_keys_only(true);
  branch.range(std::move(parties));
  branch.get(ready_key_);
  if (revision == 0) branch.get(key());
}

// A claim that finds the barrier open joins the claims inside and writes `ready`
// again, so that the next one can see that a claim is inside. If none is inside, all of
// them may have died without closing the barrier, and it is closed first.
Result<bool> DoubleBarrierQueue::read(const Claim&, const ClaimState& state,
                                      Snapshot& queue, Deadline until) {
  const wire::TxnResponse& answer = queue.answer;
  if (auto why = conflict_at_name(found(answer, kBarrierName))) return *std::move(why);
  const wire::KeyValue* const ready = found(answer, kReady);
  const std::int64_t opened = ready != nullptr ? ready->mod_revision() : 0;
  if (!read_parties(ranged(answer, kParties), below(), state.key, opened, queue)) {
    return used_by_another_kind(key());
  }
  const bool any_in = std::any_of(queue.entries.begin(), queue.entries.end(),
                                  [](const auto& each) { return each.granted; });
  if (ready != nullptr && !any_in) {
    auto closed = close(opened, until);
    if (!closed) return std::move(closed).error();
    return false;
  }
  queue.retry_after = kit::pause_behind(queue.entries.size());
  queue.obstacle = {.key = ready_key_, .what = WatchFor::all};
  return true;
}

// `ready` may look the same in the next round. So the transaction requires the claim
// for which it is made and the others that were counted: if it arrives when they have
// left, it opens nothing.
Result<bool> DoubleBarrierQueue::admit(const ClaimState& state, const Claim&,
                                       const Snapshot& queue, Deadline until) {
  const wire::KeyValue* const ready = found(queue.answer, kReady);
  Txn txn;
  txn.if_changed(ready_key_, ready != nullptr ? ready->mod_revision() : 0);
  txn.then().put(ready_key_, ready != nullptr ? ready->value() : "");
  txn.if_created(state.key, state.revision);
  int conditions = 2;
  for (const wire::KeyValue& kv : ranged(queue.answer, kParties).kvs()) {
    if (ready != nullptr || conditions == kMostConditions) break;
    if (role_at(kv.key()) != KeyRole::waiter || kv.key() == state.key) continue;
    txn.if_created(kv.key(), kv.create_revision());
    ++conditions;
  }
  const auto answer = backend().calls().txn(txn.request(), until);
  if (!answer) return answer.error();
  return answer->succeeded();
}

// Unless a party has joined or closed it meanwhile.
Result<void> DoubleBarrierQueue::close(std::int64_t opened, Deadline until) {
  Txn txn;
  txn.if_changed(ready_key_, opened);
  txn.then().erase(ready_key_);
  auto answer = backend().calls().txn(txn.request(), until);
  if (!answer) return std::move(answer).error();
  return {};
}

DoubleBarrierResource::DoubleBarrierResource(const std::shared_ptr<Backend>& backend,
                                             std::string key)
    : ClaimResource(backend,
                    std::make_unique<DoubleBarrierQueue>(*backend, std::move(key))),
      ready_(*backend, below() + kReadyName, RegisterFormat::barrier) {}

// The last claim that leaves closes the barrier, also if the answer to its leaving was
// lost.
Result<void> DoubleBarrierResource::drop(const Claim& claim, Deadline until) {
  const auto state = queue().claims().find(claim.ticket);
  const bool was_in = state != nullptr && state->granted;
  auto dropped = ClaimResource::drop(claim, until);
  const bool out = dropped || dropped.error().code == Errc::not_held;
  if (out && was_in) (void)close_if_empty(until);
  return dropped;
}

Result<void> DoubleBarrierResource::close_if_empty(Deadline until) {
  Txn txn;
  txn.if_none_below(below() + kWaitersName);
  txn.then().erase(below() + kReadyName);
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
