// SPDX-License-Identifier: Apache-2.0

#include "engines/etcd/queue.h"

#include <algorithm>
#include <utility>

#include "base/common_failures.h"
#include "engines/etcd/errors.h"
#include "engines/etcd/register_text.h"

namespace holdfast::etcd {

using engine::Claim;
using engine::Deadline;
using engine::Granted;

namespace {

// Returns whether the server has certainly not done what it was asked for.
bool is_refusal(const Failure& why) noexcept {
  return why == Errc::full || why == Errc::denied || why == Errc::bad_argument;
}

// The indexes of the responses in a transaction's answer.
constexpr int kOwn = 0;        // the claim's key: put, read or deleted
constexpr int kTombstone = 1;  // the key that says that the claim was given up

}  // namespace

Queue::Queue(Backend& backend, std::string key, engine::Kind kind)
    : backend_(backend),
      key_(std::move(key)),
      below_(key_ + "/"),
      kind_(kind),
      grant_times_(backend.options().root, key_) {}

KeyRole Queue::role_at(const std::string& key) const noexcept {
  return role_of(std::string_view(key).substr(std::min(below_.size(), key.size())));
}

bool Queue::is_foreign(const std::string& key) const noexcept {
  return !belongs(role_at(key), kind_);
}

// Nothing of ours is a key N with a lease.
std::optional<Failure> Queue::conflict_at_name(const wire::KeyValue* at_name) const {
  if (holds_a_number(at_name)) return used_by_another_kind(key_);
  if (at_name != nullptr && at_name->lease() != 0) return locked_otherwise(key_);
  return std::nullopt;
}

std::string Queue::value_of(const Claim& claim) const {
  return claim.payload.empty() ? backend_.payload() : std::string(claim.payload);
}

Result<std::int64_t> Queue::session(Deadline until) {
  return backend_.lease().ensure(until);
}

bool Queue::is_over(std::int64_t lease) const {
  return !backend_.lease().is_current(lease);
}

Result<kit::Capacity> Queue::set_capacity(const ClaimState&, const Claim&, Deadline) {
  return Errc::unsupported;
}

Result<bool> Queue::admit(const ClaimState&, const Claim&, const Snapshot&, Deadline) {
  return true;
}

Result<void> Queue::rewrite(ClaimState&, const Claim&, Deadline) {
  return Errc::unsupported;
}

Granted Queue::granted(const ClaimState& state, const Claim& claim,
                       Clock::time_point asked) const {
  const bool share = backend_.options().hand_over;
  return {.token = {static_cast<std::uint64_t>(state.revision)},
          .tokens = share ? std::max(claim.tokens, 1U) : 1U,
          .lease = backend_.lease().remaining(state.session_id, asked, claim.lease),
          .one_token = share};
}

HeldClaim Queue::held(const ClaimState& state) {
  return {state.session_id, state.key, state.revision, state.since, state.own_watch};
}

Result<std::optional<Queue::Snapshot>> Queue::look(ClaimState& state,
                                                   const Claim& claim, Deadline until) {
  using Looked = std::optional<Snapshot>;
  auto answer = read_queue(state, claim, until);
  if (!answer && answer.error().code == Errc::not_held) {
    if (Clock::now() < until) return Looked();
    return Failure(Errc::unavailable, "the etcd lease ended before " + key_ +
                                          " could be locked: try again");
  }
  if (!answer) return std::move(answer).error();
  Snapshot queue;
  queue.answer = *std::move(answer);
  const auto complete = read(claim, state, queue, until);
  if (!complete.has_value()) return complete.error();
  return *complete ? Looked(std::move(queue)) : Looked();
}

// Errc::not_held: the lease has ended, or another client has deleted the key. The claim
// is then in the state before its first attempt.
Result<wire::TxnResponse> Queue::read_queue(ClaimState& state, const Claim& claim,
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

Result<wire::TxnResponse> Queue::enqueue(ClaimState& state, const Claim& claim,
                                         Deadline until) {
  if (state.key.empty()) state.key = new_key(state.session_id, claim);
  const std::string tombstone = backend_.tombstone_of(state.session_id, claim.ticket);
  Txn txn;
  txn.if_created(state.key, 0);
  txn.if_created(tombstone, 0);
  txn.then().put(state.key, value_of(claim), state.session_id);
  add_queries(txn.then(), claim, 0);
  txn.otherwise().get(state.key);
  txn.otherwise().get(tombstone);
  bool doubt = std::exchange(state.may_exist, true);
  auto answer = send_with_retry(txn, state, until, doubt);
  if (!answer) {
    if (is_refusal(answer.error())) state.may_exist = doubt;
    if (answer.error().code == Errc::not_held) {
      backend_.keys_in_use().give_back(state.session_id, state.key);
      state = ClaimState{};
    }
    return answer;
  }
  state.may_exist = doubt;
  if (answer->succeeded()) {
    state.revision = answer->header().revision();
    return answer;
  }
  if (found(*answer, kTombstone) != nullptr) {
    return base::was_given_up(key_, Errc::internal);
  }
  const wire::KeyValue* const own = found(*answer, kOwn);
  if (own == nullptr) return answer;
  if (own->lease() != state.session_id) return taken_by_another_client(state.key);
  state.revision = own->create_revision();
  return answer;
}

// Returns true if the watch was open when the queue was read, so that no event is
// missed. Otherwise the queue must be read again.
Result<bool> Queue::arm(ClaimState& state, const Snapshot& queue,
                        const kit::Obstacle& obstacle, const engine::Waker& waker,
                        Deadline until) {
  if (state.obstacle_watch == nullptr ||
      state.obstacle_watch->key() != queue.obstacle.key ||
      !state.obstacle_watch->is_for(waker)) {
    state.obstacle_watch = backend_.watches().watch(queue.obstacle, {waker});
  }
  if (state.own_watch == nullptr || !state.own_watch->is_for(waker)) {
    state.own_watch = backend_.watches().watch_later(
        {.key = state.key, .from = state.revision + 1, .prompt = false},
        {waker, backend_.alarm()});
  }
  const auto since = state.obstacle_watch->wait(until);
  if (!since) return since.error();
  const std::int64_t revision = queue.answer.header().revision();
  if (*since > revision) return false;
  state.obstacle_watch->ring_after(obstacle.ends, revision);
  return true;
}

// If an attempt may still be on its way, the tombstone makes it come too late. Then the
// revision of the key need not be known, but its lease tells whether another client has
// put it, which keeps it.
Txn Queue::removal(const ClaimState& state, engine::Ticket ticket) const {
  Txn txn;
  if (state.may_exist) {
    txn.if_under(state.key, state.session_id);
  } else {
    txn.if_created(state.key, state.revision);
  }
  txn.then().erase(state.key);
  for (Txn::Branch branch : {txn.then(), txn.otherwise()}) {
    if (state.may_exist) {
      branch.put(backend_.tombstone_of(state.session_id, ticket), "", state.session_id);
    }
    if (state.time_written) branch.erase(grant_times_.key_of(state.revision));
  }
  return txn;
}

// No renewal that begins now writes the grant time. What an earlier one may have
// written is removed with the claim. A tombstone needs room: without it, a claim that
// is in doubt stays, and so the caller has to ask again.
Result<void> Queue::remove(ClaimState& state, engine::Ticket ticket,
                           const std::optional<HeldClaim>& last, Deadline until) {
  if (state.revision == 0 && !state.may_exist) {  // it was never created
    backend_.keys_in_use().give_back(state.session_id, state.key);
    return Errc::not_held;
  }
  if (last && last->time_written != TimeWritten::no) state.time_written = true;
  bool doubt = false;
  auto answer = send_with_retry(removal(state, ticket), state, until, doubt);
  if (!answer && answer.error().code == Errc::denied && state.time_written) {
    // A user without the right to remove it cannot have written it.
    state.time_written = false;
    answer = send_with_retry(removal(state, ticket), state, until, doubt);
  }
  if (!answer && answer.error() == Errc::full && state.may_exist) {
    return Failure(Errc::unavailable, answer.error().context);
  }
  if (!answer) return answer.error();
  if (!state.may_exist) backend_.keys_in_use().give_back(state.session_id, state.key);
  const bool any = answer->succeeded() &&
                   answer->responses(kOwn).response_delete_range().deleted() > 0;
  if (!any && !doubt) return Errc::not_held;
  return {};
}

Result<wire::TxnResponse> Queue::send_with_retry(const Txn& txn,
                                                 const ClaimState& state,
                                                 Deadline until, bool& doubt) {
  for (std::size_t tries = 1;; ++tries) {
    auto answer = backend_.txn(txn.request(), state.session_id, until);
    const bool lost = !answer && answer.error().code == Errc::outcome_unknown;
    const bool again = tries < backend_.options().hosts.size() && Clock::now() < until;
    if (!lost || !again) return answer;
    doubt = true;
  }
}

// The condition names the last change of the key, so that an earlier request that
// arrives late changes nothing.
Result<void> Queue::write_value(ClaimState& state, const std::string& value,
                                Deadline until) const {
  for (;;) {
    Txn txn;
    txn.if_created(state.key, state.revision);
    txn.if_changed(state.key, std::max(state.changed, state.revision));
    txn.then().put(state.key, value, state.session_id);
    txn.otherwise().get(state.key);
    const auto answer = backend_.txn(txn.request(), state.session_id, until);
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

}  // namespace holdfast::etcd
