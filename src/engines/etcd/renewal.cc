// SPDX-License-Identifier: Apache-2.0

#include "engines/etcd/renewal.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "engines/etcd/lost_claims.h"
#include "engines/etcd/resource.h"

namespace holdfast::etcd {
namespace {

constexpr std::size_t kMost = kMostConditions;

struct Question {
  engine::ClaimRef* ref;
  HeldClaim held;
};

Queue& queue_of(const engine::ClaimRef& ref) {
  return static_cast<ClaimResource*>(ref.resource)->queue();
}

void lose(engine::ClaimRef& ref, LostClaims& lost) {
  ref.outcome = make_error_code(Errc::not_held);
  lost.add(queue_of(ref), ref.claim->ticket);
}

bool lacks_its_time(const Question& question) {
  return question.held.time_written != TimeWritten::yes;
}

// Begins to watch the key of the claim, if this is its first renewal, and notes that
// its grant time will be written. Returns nullopt if the claim is not held under this
// lease, or is being dropped.
std::optional<HeldClaim> begin(Backend& backend, const engine::ClaimRef& ref,
                               std::int64_t lease) {
  ClaimTable& claims = queue_of(ref).claims();
  auto held = claims.held(ref.claim->ticket);
  if (!held || held->session_id != lease) return std::nullopt;
  if (held->own_watch != nullptr) return held;
  auto own_watch =
      backend.watches().watch({.key = held->key, .prompt = false}, {backend.alarm()});
  // Otherwise a deletion between the check and the opening of the watch would be
  // missed.
  own_watch->ring_when_open();
  held->own_watch = own_watch;
  const bool still_held =
      claims.update_held(ref.claim->ticket, [&](HeldClaim& present) {
        present.own_watch.swap(own_watch);
        present.time_written = std::max(present.time_written, TimeWritten::maybe);
      });
  return still_held ? held : std::nullopt;
}

Txn request_for(std::span<const Question> questions, bool write_times) {
  Txn txn;
  for (const Question& each : questions) {
    const HeldClaim& held = each.held;
    txn.if_created(held.key, held.revision);
    if (write_times && lacks_its_time(each)) {
      txn.then().put(queue_of(*each.ref).grant_times().key_of(held.revision),
                     GrantTimes::text_of(held.since), held.session_id);
    }
    wire::RangeRequest range;
    range.set_key(held.key);
    range.set_keys_only(true);
    txn.otherwise().range(std::move(range));
  }
  return txn;
}

// One transaction checks all of these claims; if one of them has ended, the answer says
// which. Errc::not_held: the lease has ended.
Result<void> check(Backend& backend, std::span<const Question> questions,
                   LostClaims& lost, engine::Deadline until) {
  bool write_times = std::ranges::any_of(questions, lacks_its_time);
  const auto ask = [&] {
    return backend.txn(request_for(questions, write_times).request(),
                       questions.front().held.session_id, until);
  };
  auto answer = ask();
  const auto refused = [&](Errc why) { return !answer && answer.error().code == why; };
  if (write_times && (refused(Errc::full) || refused(Errc::denied))) {
    // A claim must not be lost because its grant time, which only observers read,
    // cannot be written.
    write_times = false;
    answer = ask();
  }
  if (!answer) return answer.error();
  if (answer->succeeded()) {
    for (const Question& each : questions) {
      if (!write_times || !lacks_its_time(each)) continue;
      queue_of(*each.ref).claims().update_held(
          each.ref->claim->ticket,
          [](HeldClaim& present) { present.time_written = TimeWritten::yes; });
    }
    return {};
  }
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const wire::KeyValue* const kv = found(*answer, static_cast<int>(i));
    if (kv == nullptr || kv->create_revision() != questions[i].held.revision) {
      lose(*questions[i].ref, lost);
    }
  }
  return {};
}

Result<void> check_all(Backend& backend, std::span<const Question> questions,
                       LostClaims& lost, engine::Deadline until) {
  while (!questions.empty()) {
    const auto some = questions.first(std::min(kMost, questions.size()));
    if (auto done = check(backend, some, lost, until); !done) return done;
    questions = questions.subspan(some.size());
  }
  return {};
}

Result<void> renew(Backend& backend, std::span<engine::ClaimRef> refs, LostClaims& lost,
                   engine::Deadline until) {
  const auto keep_alive = backend.lease().send_keep_alive();
  std::vector<Question> questions;
  for (engine::ClaimRef& ref : refs) {
    ref.outcome = {};
    if (auto held = begin(backend, ref, keep_alive.id)) {
      questions.push_back({&ref, *std::move(held)});
    } else {
      lose(ref, lost);
    }
  }
  if (questions.empty()) return {};
  auto alive = check_all(backend, questions, lost, until);
  if (alive) alive = backend.lease().wait_for_keep_alive(keep_alive, until);
  if (!alive) {
    if (alive.error().code != Errc::not_held) return alive;
    // The lease has ended.
    for (const Question& each : questions) lose(*each.ref, lost);
  }
  for (engine::ClaimRef& ref : refs) {
    ref.granted.lease =
        backend.lease().remaining(keep_alive.id, keep_alive.sent, ref.claim->lease);
  }
  return {};
}

}  // namespace

Result<void> renew_all(Backend& backend, std::span<engine::ClaimRef> refs,
                       engine::Deadline until) {
  LostClaims lost(backend);
  auto renewed = renew(backend, refs, lost, until);
  lost.clear_away();
  return renewed;
}

}  // namespace holdfast::etcd
