#include "engines/etcd/double_barrier.h"

#include <algorithm>
#include <utility>

#include "engines/etcd/status.h"

namespace holdfast::etcd {

using engine::Claim;
using engine::Deadline;

namespace {

// In the answers, behind the place itself.
constexpr int kLine = 1;
constexpr int kReady = 2;
constexpr int kRegister = 3;

}  // namespace

DoubleBarrierResource::DoubleBarrierResource(std::shared_ptr<Backend> backend,
                                             std::string key)
    : ClaimsResource(std::move(backend), std::move(key), engine::Kind::double_barrier),
      waiters_(below() + "waiters/"),
      ready_key_(below() + "ready"),
      ready_(this->backend(), ready_key_, Layout::barrier) {}

std::string DoubleBarrierResource::new_key(std::int64_t lease, const Claim& claim) {
  return waiters_ + id_of(lease, claim.ticket);
}

void DoubleBarrierResource::ask(Txn::Branch branch, const Claim&,
                                std::int64_t revision) const {
  wire::RangeRequest line = in_order_below(below());
  line.set_keys_only(true);
  branch.range(std::move(line));
  branch.get(ready_key_);
  if (revision == 0) branch.get(key());
}

// Who comes when it is open already joins those who are in, and writes that he did, so
// that the next one can see that somebody is. If nobody is, all who were may have died
// without closing it.
Result<ClaimsResource::View> DoubleBarrierResource::judge(
    const Claim& claim, Place& place, const wire::TxnResponse& answer, Deadline until) {
  if (auto why = objection(found(answer, kRegister))) return *std::move(why);
  const wire::KeyValue* const ready = found(answer, kReady);
  const std::int64_t opened = ready != nullptr ? ready->mod_revision() : 0;
  std::size_t parties = 0;
  bool anybody = false;
  for (const wire::KeyValue& kv : ranged(answer, kLine).kvs()) {
    if (is_foreign(kv.key())) return used_by_another_kind(key());
    if (sort_of(rest_of(kv.key())) != Sort::waiter) continue;
    ++parties;
    anybody = anybody || kv.create_revision() < opened;
  }
  View view;
  view.come = opened > place.revision;
  if (view.come) return view;
  if (ready != nullptr && !anybody) {
    auto shut = ready_.exchange({1, static_cast<std::uint64_t>(opened)}, std::nullopt,
                                engine::Ticket::none, until);
    if (!shut) return std::move(shut).error();
    view.again = true;
    return view;
  }
  if (ready != nullptr || parties >= claim.capacity) {
    const auto opens = put_ready(place, answer, until);
    if (!opens.has_value()) return opens.error();
    view.come = *opens;
    view.again = !*opens;
    return view;
  }
  view.ahead = parties;
  view.obstacle = {.key = ready_key_, .what = Watches::What::all};
  return view;
}

// The key of the round may look the same in the next one. So the transaction names the
// place for which it is made, and the others that it counted: one that arrives when
// they have left opens nothing.
Result<bool> DoubleBarrierResource::put_ready(const Place& place,
                                              const wire::TxnResponse& seen,
                                              Deadline until) {
  const wire::KeyValue* const ready = found(seen, kReady);
  Txn txn;
  txn.if_changed(ready_key_, ready != nullptr ? ready->mod_revision() : 0);
  txn.then().put(ready_key_, ready != nullptr ? ready->value() : "");
  txn.if_created(place.key, place.revision);
  int conditions = 2;
  for (const wire::KeyValue& kv : ranged(seen, kLine).kvs()) {
    if (ready != nullptr || conditions == kMostConditions) break;
    if (sort_of(rest_of(kv.key())) != Sort::waiter || kv.key() == place.key) continue;
    txn.if_created(kv.key(), kv.create_revision());
    ++conditions;
  }
  const auto answer = backend().calls().txn(txn.request(), until);
  if (!answer) return answer.error();
  return answer->succeeded();
}

// The last one out closes, also if he is out by an answer that was lost.
Result<void> DoubleBarrierResource::drop(const Claim& claim, Deadline until) {
  const auto place = places().find(claim.ticket);
  const bool was_in = place != nullptr && place->granted;
  auto dropped = ClaimsResource::drop(claim, until);
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
