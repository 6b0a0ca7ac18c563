#include "engines/etcd/queue.h"

#include <algorithm>
#include <utility>

#include "base/common_failures.h"
#include "base/pause.h"
#include "base/transient.h"
#include "engines/etcd/errors.h"
#include "engines/etcd/register_text.h"
#include "engines/etcd/survey.h"

namespace holdfast::etcd {

using engine::Claim;
using engine::Deadline;
using engine::Granted;
using namespace std::chrono_literals;

namespace {

// In the answers.
constexpr int kOwn = 0;        // the claim's key: put, read or deleted
constexpr int kTombstone = 1;  // the key that says that the claim was given up

}  // namespace

// The longer the queue, the more waiters would read it, so each of them reads it less
// often.
std::chrono::nanoseconds recheck_delay(std::size_t ahead) {
  const auto most = 5s + std::min<std::size_t>(ahead, 1000) * 50ms;
  return most * 4 / 5 + base::random_part(most / 5);
}

ClaimResource::ClaimResource(std::shared_ptr<Backend> backend, std::string key,
                             engine::Kind kind)
    : EtcdResource(std::move(backend), std::move(key)),
      kind_(kind),
      grant_times_(this->backend().options().root, this->key()) {}

std::string_view ClaimResource::suffix_of(const std::string& key) const noexcept {
  return std::string_view(key).substr(std::min(below().size(), key.size()));
}

bool ClaimResource::is_foreign(const std::string& key) const noexcept {
  return !belongs(role_of(suffix_of(key)), kind_);
}

// Holdfast never writes a key N with a lease.
std::optional<Failure> ClaimResource::conflict_at_name(
    const wire::KeyValue* at_name) const {
  if (holds_a_number(at_name)) return used_by_another_kind(key());
  if (at_name != nullptr && at_name->lease() != 0) return locked_otherwise(key());
  return std::nullopt;
}

std::string_view ClaimResource::payload_of(const Claim& claim) const noexcept {
  return claim.payload.empty() ? std::string_view(backend().payload()) : claim.payload;
}

std::string ClaimResource::value_of(const Claim& claim) const {
  return std::string(payload_of(claim));
}

Result<std::shared_ptr<ClaimState>> ClaimResource::state_of(const Claim& claim,
                                                            Deadline until) {
  const auto lease = backend().lease().ensure(until);
  if (!lease) return lease.error();
  auto state = claims_.find_or_add(claim.ticket);
  if (state->lease != *lease) {
    claims_.forget_others(*lease);
    state = claims_.find_or_add(claim.ticket);
    state->start_again(*lease);
  }
  return state;
}

Result<engine::Verdict> ClaimResource::attempt(const Claim& claim,
                                               const engine::Waker& waker,
                                               Deadline until) {
  const auto asked = Clock::now();
  for (;;) {
    const auto found = state_of(claim, until);
    if (!found) return found.error();
    ClaimState& state = **found;
    if (state.granted) return grant(claim, state, asked);
    const auto answer = read_queue(state, claim, until);
    if (!answer && answer.error().code == Errc::not_held) {
      if (Clock::now() >= until) {
        return Failure(Errc::unavailable, "the etcd lease ended before " + key() +
                                              " could be locked: try again");
      }
      continue;
    }
    if (!answer) return answer.error();
    const auto snapshot = evaluate(claim, state, *answer, until);
    if (!snapshot) {
      if (!base::is_transient(snapshot.error())) (void)drop(claim, until);
      return snapshot.error();
    }
    if (snapshot->read_again) continue;
    if (snapshot->admitted) return grant(claim, state, asked);
    if (waker == nullptr) {
      auto left = remove(state, claim.ticket, until);
      if (!left && left.error().code != Errc::not_held) return std::move(left).error();
      claims_.erase(claim.ticket);
      return engine::Verdict(engine::Blocked{recheck_delay(snapshot->ahead)});
    }
    const auto armed =
        watch_obstacle(state, *snapshot, answer->header().revision(), waker, until);
    if (!armed.has_value()) return armed.error();
    if (*armed) return engine::Verdict(engine::Blocked{recheck_delay(snapshot->ahead)});
  }
}

Result<engine::Verdict> ClaimResource::grant(const Claim& claim, ClaimState& state,
                                             Clock::time_point asked) {
  if (!std::exchange(state.granted, true)) {
    state.since = asked;
    state.obstacle_watch.reset();
    state.own_watch.reset();
    claims_.publish(claim.ticket, state.held_claim());
  }
  return engine::Verdict(granted(claim, state, asked));
}

Granted ClaimResource::granted(const Claim& claim, const ClaimState& state,
                               Clock::time_point asked) {
  const bool share = backend().options().hand_over;
  return {.token = {static_cast<std::uint64_t>(state.revision)},
          .tokens = share ? std::max(claim.tokens, 1U) : 1U,
          .lease = backend().lease().remaining(state.lease, asked, claim.lease),
          .one_token = share};
}

// Errc::not_held: the lease has ended, or another client has deleted the key. The claim
// is then in the state before its first attempt.
Result<wire::TxnResponse> ClaimResource::read_queue(ClaimState& state,
                                                    const Claim& claim,
                                                    Deadline until) {
  if (state.revision == 0) {
    auto entered = enqueue(state, claim, until);
    if (!entered || entered->succeeded()) return entered;
  }
  Txn txn;
  txn.then().get(state.key);
  add_queries(txn.then(), claim, state.revision);
  bool doubt = false;
  auto answer = send_with_retry(txn, state, until, doubt);
  if (!answer) return answer;
  const wire::KeyValue* const own = found(*answer, kOwn);
  if (own == nullptr || own->create_revision() != state.revision) {
    state.queue_again();
    return Errc::not_held;
  }
  return answer;
}

Result<wire::TxnResponse> ClaimResource::enqueue(ClaimState& state, const Claim& claim,
                                                 Deadline until) {
  if (state.key.empty()) state.key = new_key(state.lease, claim);
  const std::string tombstone = backend().tombstone_of(state.lease, claim.ticket);
  Txn txn;
  txn.if_created(state.key, 0);
  txn.if_created(tombstone, 0);
  txn.then().put(state.key, value_of(claim), state.lease);
  add_queries(txn.then(), claim, 0);
  txn.otherwise().get(state.key);
  txn.otherwise().get(tombstone);
  bool doubt = std::exchange(state.may_exist, true);
  auto answer = send_with_retry(txn, state, until, doubt);
  if (!answer) {
    if (answer.error().code == Errc::not_held) {
      backend().keys_in_use().give_back(state.lease, state.key);
      state.start_again(0);
    }
    return answer;
  }
  state.may_exist = doubt;
  if (answer->succeeded()) {
    state.revision = answer->header().revision();
    return answer;
  }
  if (found(*answer, kTombstone) != nullptr) {
    return Failure(Errc::internal,
                   "a claim of " + key() + " that was given up is attempted again");
  }
  const wire::KeyValue* const own = found(*answer, kOwn);
  if (own != nullptr) state.revision = own->create_revision();
  return answer;
}

// Returns true if the watch was open when the queue was read, so that no event is
// missed. Otherwise the queue must be read again.
Result<bool> ClaimResource::watch_obstacle(ClaimState& state,
                                           const QueueSnapshot& snapshot,
                                           std::int64_t revision,
                                           const engine::Waker& waker, Deadline until) {
  if (state.obstacle_watch == nullptr ||
      state.obstacle_watch->key() != snapshot.obstacle.key ||
      !state.obstacle_watch->is_for(waker)) {
    state.obstacle_watch = backend().watches().watch(snapshot.obstacle, {waker});
    state.own_watch =
        backend().watches().watch({.key = state.key}, {waker, backend().alarm()});
  }
  const auto since = state.obstacle_watch->wait(until);
  if (!since) return since.error();
  if (*since > revision) return false;
  state.obstacle_watch->ring_after(snapshot.ends, revision);
  return true;
}

Result<void> ClaimResource::drop(const Claim& claim, Deadline until) {
  const auto state = claims_.find(claim.ticket);
  if (state == nullptr) return Errc::not_held;
  if (state->key.empty() || !backend().lease().is_current(state->lease)) {
    claims_.erase(claim.ticket);  // it was never created, or has ended with its lease
    return Errc::not_held;
  }
  // After this, no renewal writes the grant time. What an earlier one may have written
  // is removed with the claim.
  const auto last = claims_.withdraw(claim.ticket);
  if (last && last->time_written != TimeWritten::no) state->time_written = true;
  auto removed = remove(*state, claim.ticket, until);
  if (removed || removed.error().code == Errc::not_held) claims_.erase(claim.ticket);
  return removed;
}

// If an attempt may still be on its way, the tombstone makes it come too late.
Txn ClaimResource::removal(const ClaimState& state, engine::Ticket ticket) const {
  Txn txn;
  if (!state.may_exist) txn.if_created(state.key, state.revision);
  txn.then().erase(state.key);
  if (state.may_exist) {
    txn.then().put(backend().tombstone_of(state.lease, ticket), "", state.lease);
  }
  if (state.time_written) {
    const std::string time_key = grant_times_.key_of(state.revision);
    txn.then().erase(time_key);
    txn.otherwise().erase(time_key);
  }
  return txn;
}

Result<void> ClaimResource::remove(ClaimState& state, engine::Ticket ticket,
                                   Deadline until) {
  bool doubt = false;
  auto answer = send_with_retry(removal(state, ticket), state, until, doubt);
  if (!answer && answer.error().code == Errc::denied && state.time_written) {
    state.time_written =
        false;  // a user without the right to remove it cannot have written it
    answer = send_with_retry(removal(state, ticket), state, until, doubt);
  }
  if (!answer) return answer.error();
  if (!state.may_exist) backend().keys_in_use().give_back(state.lease, state.key);
  const bool any = answer->succeeded() &&
                   answer->responses(kOwn).response_delete_range().deleted() > 0;
  if (!any && !doubt) return Errc::not_held;
  return {};
}

Result<wire::TxnResponse> ClaimResource::send_with_retry(const Txn& txn,
                                                         const ClaimState& state,
                                                         Deadline until, bool& doubt) {
  auto answer = backend().txn(txn.request(), state.lease, until);
  const bool lost = !answer && answer.error().code == Errc::outcome_unknown;
  if (!lost || backend().options().hosts.size() < 2 || Clock::now() >= until) {
    return answer;
  }
  doubt = true;
  return backend().txn(txn.request(), state.lease, until);
}

Result<std::shared_ptr<ClaimState>> ClaimResource::held_state(const Claim& claim) {
  auto state = claims_.find(claim.ticket);
  if (state == nullptr || !state->granted) return Errc::not_held;
  if (!backend().lease().is_current(state->lease)) return Errc::not_held;
  return state;
}

// The condition names the last change of the key, so that an earlier request that
// arrives late changes nothing.
Result<void> ClaimResource::rewrite(ClaimState& state, const std::string& value,
                                    Deadline until) {
  for (;;) {
    Txn txn;
    txn.if_created(state.key, state.revision);
    txn.if_changed(state.key, std::max(state.changed, state.revision));
    txn.then().put(state.key, value, state.lease);
    txn.otherwise().get(state.key);
    const auto answer = backend().txn(txn.request(), state.lease, until);
    if (!answer) return answer.error();
    if (answer->succeeded()) {
      state.changed = answer->header().revision();
      return {};
    }
    const wire::KeyValue* const own = found(*answer, kOwn);
    if (own == nullptr || own->create_revision() != state.revision) {
      return Errc::not_held;
    }
    state.changed = own->mod_revision();
    if (Clock::now() >= until) {
      return base::changed_by_others(state.key);
    }
  }
}

Result<std::vector<engine::Entry>> ClaimResource::survey(std::size_t limit,
                                                         Deadline until) {
  return survey_claims(backend(), kind_, below(), grant_times_, limit, until);
}

// Another claim may soon use the same key, so the removal names the revision at which
// the key was created.
Result<void> ClaimResource::evict(std::string_view owner, Deadline until) {
  const std::string key = below() + std::string(owner);
  if (is_foreign(key) || !is_claim_key(role_of(owner))) return Errc::not_held;
  wire::RangeRequest range;
  range.set_key(key);
  range.set_keys_only(true);
  const auto seen = backend().calls().range(range, until);
  if (!seen) return seen.error();
  if (seen->kvs_size() == 0) return Errc::not_held;
  Txn txn;
  txn.if_created(key, seen->kvs(0).create_revision());
  txn.then().erase(key);
  const auto answer = backend().calls().txn(txn.request(), until);
  if (!answer) return answer.error();
  if (!answer->succeeded()) return Errc::not_held;
  return {};
}

}  // namespace holdfast::etcd
