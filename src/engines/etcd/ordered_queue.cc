// SPDX-License-Identifier: Apache-2.0

#include "engines/etcd/ordered_queue.h"

#include <algorithm>
#include <utility>

#include "engines/etcd/errors.h"

namespace holdfast::etcd {

using engine::Claim;
using engine::Deadline;
using engine::Kind;
using engine::Mode;

namespace {

// The indexes of the responses in a transaction's answer, after the claim's own key.
constexpr int kAhead = 1;
constexpr int kLockName = 2;
constexpr int kNeighbour = 3;

}  // namespace

// A claim that is just created is the newest of all, so the two newest keys are the
// claim and its predecessor.
wire::RangeRequest ask_for_predecessor(const std::string& below, bool reads,
                                       std::int64_t revision) {
  const bool fresh = revision == 0;
  const std::string obstacles = reads ? below + "write/" : below;
  wire::RangeRequest ahead = newest_below(obstacles, fresh && !reads ? 2 : 1);
  if (!fresh) ahead.set_max_create_revision(revision - 1);
  return ahead;
}

const wire::KeyValue* find_predecessor(const wire::RangeResponse& answer,
                                       const std::string& own) {
  const auto found =
      std::find_if(answer.kvs().begin(), answer.kvs().end(),
                   [&](const wire::KeyValue& kv) { return kv.key() != own; });
  return found != answer.kvs().end() ? &*found : nullptr;
}

std::vector<engine::QueueEntry> queue_behind(std::optional<KeyRole> predecessor,
                                             Mode mode) {
  std::vector<engine::QueueEntry> queue;
  if (predecessor) {
    const bool reader = *predecessor == KeyRole::read;
    queue.push_back({.mode = reader ? Mode::shared : Mode::exclusive});
  }
  queue.push_back({.mode = mode});
  return queue;
}

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

void OrderedQueue::add_queries(Txn::Branch branch, const Claim& claim,
                               std::int64_t revision) const {
  branch.range(ask_for_predecessor(below(), reads(claim), revision));
  if (revision != 0) return;
  branch.get(key());
  if (reads(claim)) branch.range(newest_below(below(), 2));
}

Result<bool> OrderedQueue::read(const Claim& claim, const ClaimState& state,
                                Snapshot& queue, Deadline) {
  const wire::TxnResponse& answer = queue.answer;
  if (auto why = conflict_at_name(found(answer, kLockName))) return *std::move(why);
  for (const wire::KeyValue& kv : ranged(answer, kNeighbour).kvs()) {
    if (is_foreign(kv.key())) return used_by_another_kind(key());
  }
  const wire::RangeResponse& ahead = ranged(answer, kAhead);
  const wire::KeyValue* const predecessor = find_predecessor(ahead, state.key);
  std::optional<KeyRole> role;
  if (predecessor != nullptr) {
    if (is_foreign(predecessor->key())) return used_by_another_kind(key());
    role = role_at(predecessor->key());
    queue.retry_after = kit::pause_behind(static_cast<std::size_t>(ahead.count()));
    queue.obstacle = {.key = predecessor->key()};
  }
  queue.entries = queue_behind(role, claim.mode);
  queue.own = queue.entries.size() - 1;
  return true;
}

// The keys of a shared mutex are never changed, because Go orders them by their last
// change: a changed key would lose its place. So a writer that becomes a reader still
// keeps readers out, and State::mode says that it is a writer.
Result<void> OrderedQueue::rewrite(ClaimState& state, const Claim& wanted,
                                   Deadline until) {
  if (kind() == Kind::shared_mutex || wanted.payload.empty()) return {};
  return write_value(state, std::string(wanted.payload), until);
}

}  // namespace holdfast::etcd
