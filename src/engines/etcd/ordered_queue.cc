#include "engines/etcd/ordered_queue.h"

#include <utility>

#include "base/common_failures.h"
#include "engines/etcd/errors.h"

namespace holdfast::etcd {

using engine::Claim;
using engine::Deadline;
using engine::Granted;
using engine::Kind;
using engine::Mode;

namespace {

// In the answers, after the claim's own key.
constexpr int kAhead = 1;
constexpr int kLockName = 2;
constexpr int kNeighbour = 3;

}  // namespace

bool OrderedQueue::reads(const Claim& claim) const noexcept {
  return kind() == Kind::shared_mutex && claim.mode == Mode::shared;
}

// The key that Go uses has room for one claim of a session. A second one at the same
// time gets a key with its ticket.
std::string OrderedQueue::new_key(std::int64_t lease, const Claim& claim) {
  if (kind() == Kind::shared_mutex) {
    return below() + (reads(claim) ? "read/" : "write/") + id_of(lease, claim.ticket);
  }
  std::string key = below() + hex(static_cast<std::uint64_t>(lease));
  if (backend().keys_in_use().take(lease, key)) return key;
  return below() + id_of(lease, claim.ticket);
}

// A claim that is just created is the newest of all, so the two newest keys are the
// claim and its predecessor.
void OrderedQueue::add_queries(Txn::Branch branch, const Claim& claim,
                               std::int64_t revision) const {
  const bool fresh = revision == 0;
  const std::string obstacles = reads(claim) ? below() + "write/" : below();
  wire::RangeRequest ahead = newest_below(obstacles, fresh && !reads(claim) ? 2 : 1);
  if (!fresh) ahead.set_max_create_revision(revision - 1);
  branch.range(std::move(ahead));
  if (!fresh) return;
  branch.get(key());
  if (reads(claim)) branch.range(newest_below(below(), 2));
}

Result<ClaimResource::QueueSnapshot> OrderedQueue::evaluate(
    const Claim&, ClaimState& state, const wire::TxnResponse& answer, Deadline) {
  if (auto why = conflict_at_name(found(answer, kLockName))) return *std::move(why);
  for (const wire::KeyValue& kv : ranged(answer, kNeighbour).kvs()) {
    if (is_foreign(kv.key())) return used_by_another_kind(key());
  }
  QueueSnapshot snapshot;
  const wire::RangeResponse& ahead = ranged(answer, kAhead);
  const wire::KeyValue* nearest = nullptr;
  for (const wire::KeyValue& kv : ahead.kvs()) {
    if (kv.key() == state.key) continue;
    nearest = &kv;
    break;
  }
  snapshot.admitted = nearest == nullptr;
  if (snapshot.admitted) return snapshot;
  if (is_foreign(nearest->key())) return used_by_another_kind(key());
  snapshot.ahead = static_cast<std::size_t>(ahead.count());
  snapshot.obstacle = {.key = nearest->key()};
  return snapshot;
}

// The keys of a shared mutex are never changed, because Go orders them by their last
// change: a changed key would lose its place. So a writer that becomes a reader still
// keeps readers out.
Result<Granted> OrderedQueue::amend(const Claim& held, const Claim& wanted,
                                    Deadline until) {
  const auto asked = Clock::now();
  const auto state = held_state(held);
  if (!state) return state.error();
  if (kind() == Kind::shared_mutex) {
    const bool reader = role_of(suffix_of((*state)->key)) == KeyRole::read;
    if (reader && wanted.mode == Mode::exclusive) {
      return base::reader_cannot_write(key());
    }
  } else if (!wanted.payload.empty()) {
    auto done = rewrite(**state, std::string(wanted.payload), until);
    if (!done) return std::move(done).error();
  }
  return granted(wanted, **state, asked);
}

}  // namespace holdfast::etcd
