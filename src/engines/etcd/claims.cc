#include "engines/etcd/claims.h"

#include <algorithm>
#include <utility>

#include "base/common_failures.h"
#include "base/pause.h"
#include "base/transient.h"
#include "engines/etcd/cell.h"
#include "engines/etcd/status.h"

namespace holdfast::etcd {

using engine::Claim;
using engine::Deadline;
using engine::Granted;
using namespace std::chrono_literals;

namespace {

constexpr int kOwn =
    0;  // in the answers, the place itself: its put, its value, or its end
constexpr int kTomb = 1;  // whether it was given up

}  // namespace

// The longer the line, the more who wait would look at it: they take their time.
std::chrono::nanoseconds pause_behind(std::size_t ahead) {
  const auto most = 5s + std::min<std::size_t>(ahead, 1000) * 50ms;
  return most * 4 / 5 + base::random_part(most / 5);
}

ClaimsResource::ClaimsResource(std::shared_ptr<Backend> backend, std::string key,
                               engine::Kind kind)
    : EtcdResource(std::move(backend), std::move(key)),
      kind_(kind),
      grant_times_(this->backend().options().root, this->key()) {}

std::string_view ClaimsResource::rest_of(const std::string& key) const noexcept {
  return std::string_view(key).substr(std::min(below().size(), key.size()));
}

bool ClaimsResource::is_foreign(const std::string& key) const noexcept {
  return !belongs(sort_of(rest_of(key)), kind_);
}

// Nothing of ours is a key N with a lease.
std::optional<Failure> ClaimsResource::objection(const wire::KeyValue* at_name) const {
  if (holds_a_number(at_name)) return used_by_another_kind(key());
  if (at_name != nullptr && at_name->lease() != 0) return locked_otherwise(key());
  return std::nullopt;
}

std::string_view ClaimsResource::payload_of(const Claim& claim) const noexcept {
  return claim.payload.empty() ? std::string_view(backend().payload()) : claim.payload;
}

std::string ClaimsResource::value_of(const Claim& claim) const {
  return std::string(payload_of(claim));
}

Result<std::shared_ptr<Place>> ClaimsResource::place_of(const Claim& claim,
                                                        Deadline until) {
  const auto lease = backend().lease().need(until);
  if (!lease) return lease.error();
  auto place = places_.find_or_add(claim.ticket);
  if (place->lease != *lease) {
    places_.forget_others(*lease);
    place = places_.find_or_add(claim.ticket);
    place->start_again(*lease);
  }
  return place;
}

Result<engine::Verdict> ClaimsResource::attempt(const Claim& claim,
                                                const engine::Waker& waker,
                                                Deadline until) {
  const auto asked = Clock::now();
  for (;;) {
    const auto found = place_of(claim, until);
    if (!found) return found.error();
    Place& place = **found;
    if (place.granted) return grant(claim, place, asked);
    const auto answer = look(place, claim, until);
    if (!answer && answer.error().code == Errc::not_held) {
      if (Clock::now() >= until) {
        return Failure(Errc::unavailable, "the lease ended before " + key() +
                                              " was asked about: try again");
      }
      continue;
    }
    if (!answer) return answer.error();
    const auto view = judge(claim, place, *answer, until);
    if (!view) {
      if (!base::is_transient(view.error())) (void)drop(claim, until);
      return view.error();
    }
    if (view->again) continue;
    if (view->come) return grant(claim, place, asked);
    if (waker == nullptr) {
      auto left = remove(place, claim.ticket, until);
      if (!left && left.error().code != Errc::not_held) return std::move(left).error();
      places_.erase(claim.ticket);
      return engine::Verdict(engine::Blocked{pause_behind(view->ahead)});
    }
    const auto armed = listen(place, *view, answer->header().revision(), waker, until);
    if (!armed.has_value()) return armed.error();
    if (*armed) return engine::Verdict(engine::Blocked{pause_behind(view->ahead)});
  }
}

Result<engine::Verdict> ClaimsResource::grant(const Claim& claim, Place& place,
                                              Clock::time_point asked) {
  if (!std::exchange(place.granted, true)) {
    place.since = asked;
    place.ahead.reset();
    place.own.reset();
    places_.publish(claim.ticket, place.standing());
  }
  return engine::Verdict(granted(claim, place, asked));
}

Granted ClaimsResource::granted(const Claim& claim, const Place& place,
                                Clock::time_point asked) {
  const bool share = backend().options().hand_over;
  return {.token = {static_cast<std::uint64_t>(place.revision)},
          .tokens = share ? std::max(claim.tokens, 1U) : 1U,
          .lease = backend().lease().left(place.lease, asked, claim.lease),
          .one_token = share};
}

// Errc::not_held: the lease is over, or somebody has removed the place. The place is
// then as before the first attempt.
Result<wire::TxnResponse> ClaimsResource::look(Place& place, const Claim& claim,
                                               Deadline until) {
  if (place.revision == 0) {
    auto entered = enter(place, claim, until);
    if (!entered || entered->succeeded()) return entered;
  }
  Txn txn;
  txn.then().get(place.key);
  ask(txn.then(), claim, place.revision);
  bool doubt = false;
  auto answer = ask_on(txn, place, until, doubt);
  if (!answer) return answer;
  const wire::KeyValue* const own = found(*answer, kOwn);
  if (own == nullptr || own->create_revision() != place.revision) {
    place.queue_again();
    return Errc::not_held;
  }
  return answer;
}

Result<wire::TxnResponse> ClaimsResource::enter(Place& place, const Claim& claim,
                                                Deadline until) {
  if (place.key.empty()) place.key = new_key(place.lease, claim);
  const std::string tomb = backend().tombstone(place.lease, claim.ticket);
  Txn txn;
  txn.if_created(place.key, 0);
  txn.if_created(tomb, 0);
  txn.then().put(place.key, value_of(claim), place.lease);
  ask(txn.then(), claim, 0);
  txn.otherwise().get(place.key);
  txn.otherwise().get(tomb);
  bool doubt = std::exchange(place.uncertain, true);
  auto answer = ask_on(txn, place, until, doubt);
  if (!answer) {
    if (answer.error().code == Errc::not_held) {
      backend().keys_in_use().give_back(place.lease, place.key);
      place.start_again(0);
    }
    return answer;
  }
  place.uncertain = doubt;
  if (answer->succeeded()) {
    place.revision = answer->header().revision();
    return answer;
  }
  if (found(*answer, kTomb) != nullptr) {
    return Failure(Errc::internal, "a claim that was given up is attempted again");
  }
  const wire::KeyValue* const own = found(*answer, kOwn);
  if (own != nullptr) place.revision = own->create_revision();
  return answer;
}

// Whether nothing can be missed; if not, look again.
Result<bool> ClaimsResource::listen(Place& place, const View& view,
                                    std::int64_t revision, const engine::Waker& waker,
                                    Deadline until) {
  if (place.ahead == nullptr || place.ahead->key() != view.obstacle.key ||
      !place.ahead->is_for(waker)) {
    place.ahead = backend().watches().listen(view.obstacle, {waker});
    place.own =
        backend().watches().listen({.key = place.key}, {waker, backend().alarm()});
  }
  const auto since = place.ahead->wait(until);
  if (!since) return since.error();
  if (*since > revision) return false;
  place.ahead->ring_after(view.ends, revision);
  return true;
}

Result<void> ClaimsResource::drop(const Claim& claim, Deadline until) {
  const auto place = places_.find(claim.ticket);
  if (place == nullptr) return Errc::not_held;
  if (place->key.empty() || !backend().lease().is_present(place->lease)) {
    places_.erase(claim.ticket);  // never made, or ended with its lease
    return Errc::not_held;
  }
  // A renewal that begins after this writes no grant time; what one before it may have
  // written is removed with the claim.
  const auto last = places_.withdraw(claim.ticket);
  if (last && last->time_written != TimeWritten::no) place->time_written = true;
  auto removed = remove(*place, claim.ticket, until);
  if (removed || removed.error().code == Errc::not_held) places_.erase(claim.ticket);
  return removed;
}

// If an attempt may still be on its way, it must find that it comes too late.
Txn ClaimsResource::removal(const Place& place, engine::Ticket ticket) const {
  Txn txn;
  if (!place.uncertain) txn.if_created(place.key, place.revision);
  txn.then().erase(place.key);
  if (place.uncertain) {
    txn.then().put(backend().tombstone(place.lease, ticket), "", place.lease);
  }
  if (place.time_written) {
    const std::string time_key = grant_times_.key_of(place.revision);
    txn.then().erase(time_key);
    txn.otherwise().erase(time_key);
  }
  return txn;
}

Result<void> ClaimsResource::remove(Place& place, engine::Ticket ticket,
                                    Deadline until) {
  bool doubt = false;
  auto answer = ask_on(removal(place, ticket), place, until, doubt);
  if (!answer && answer.error().code == Errc::denied && place.time_written) {
    place.time_written = false;  // a user who may not remove it has not written it
    answer = ask_on(removal(place, ticket), place, until, doubt);
  }
  if (!answer) return answer.error();
  if (!place.uncertain) backend().keys_in_use().give_back(place.lease, place.key);
  const bool any = answer->succeeded() &&
                   answer->responses(kOwn).response_delete_range().deleted() > 0;
  if (!any && !doubt) return Errc::not_held;
  return {};
}

Result<wire::TxnResponse> ClaimsResource::ask_on(const Txn& txn, const Place& place,
                                                 Deadline until, bool& doubt) {
  auto answer = backend().txn(txn.request(), place.lease, until);
  const bool lost = !answer && answer.error().code == Errc::outcome_unknown;
  if (!lost || backend().options().hosts.size() < 2 || Clock::now() >= until) {
    return answer;
  }
  doubt = true;
  return backend().txn(txn.request(), place.lease, until);
}

Result<std::shared_ptr<Place>> ClaimsResource::held_place(const Claim& claim) {
  auto place = places_.find(claim.ticket);
  if (place == nullptr || !place->granted) return Errc::not_held;
  if (!backend().lease().is_present(place->lease)) return Errc::not_held;
  return place;
}

// Against the last change, so that an earlier one that arrives late changes nothing.
Result<void> ClaimsResource::rewrite(Place& place, const std::string& value,
                                     Deadline until) {
  for (;;) {
    Txn txn;
    txn.if_created(place.key, place.revision);
    txn.if_changed(place.key, std::max(place.changed, place.revision));
    txn.then().put(place.key, value, place.lease);
    txn.otherwise().get(place.key);
    const auto answer = backend().txn(txn.request(), place.lease, until);
    if (!answer) return answer.error();
    if (answer->succeeded()) {
      place.changed = answer->header().revision();
      return {};
    }
    const wire::KeyValue* const own = found(*answer, kOwn);
    if (own == nullptr || own->create_revision() != place.revision) {
      return Errc::not_held;
    }
    place.changed = own->mod_revision();
    if (Clock::now() >= until) {
      return base::changed_by_others(place.key);
    }
  }
}

// The same key may be another claim's soon, so it is looked at first.
Result<void> ClaimsResource::evict(std::string_view owner, Deadline until) {
  const std::string key = below() + std::string(owner);
  if (is_foreign(key) || !is_place(sort_of(owner))) return Errc::not_held;
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
