#include <utility>

#include "engines/etcd/cell.h"
#include "engines/etcd/claims.h"
#include "engines/etcd/semaphore.h"
#include "holdfast/engine/admission.h"

namespace holdfast::etcd {

using engine::Entry;

Result<std::vector<Entry>> ClaimResource::survey(std::size_t limit,
                                                 engine::Deadline until) {
  constexpr std::size_t kBeside = 1;  // permits, or ready
  wire::RangeRequest range = in_order_below(below());
  range.set_limit(static_cast<std::int64_t>(limit + kBeside));
  constexpr int kQueue = 0;  // in the answers
  constexpr int kTimes = 1;
  const auto ask = [&](bool with_times) {
    Txn txn;
    txn.then().range(range);
    if (with_times) txn.then().range(grant_times_.first(limit));
    return backend().calls().txn(txn.request(), until);
  };
  auto answer = ask(true);
  // A user may have no right to the times, and to the line all the same.
  if (!answer && answer.error().code == Errc::denied) answer = ask(false);
  if (!answer) return answer.error();
  const auto times = grant_times_.read(ranged(*answer, kTimes));

  std::vector<Entry> entries;
  std::vector<engine::QueueEntry> line;
  PermitCount count;
  bool ready = false;
  for (const wire::KeyValue& kv : ranged(*answer, kQueue).kvs()) {
    const KeyRole role = role_of(suffix_of(kv.key()));
    if (!belongs(role, kind_)) continue;
    ready = ready || role == KeyRole::ready;
    if (role == KeyRole::permits) count = read_permit_count(kv).value_or(PermitCount());
    if (!is_claim_key(role) || entries.size() == limit) continue;
    Entry entry;
    entry.owner = suffix_of(kv.key());
    entry.payload = kv.value();
    entry.mode = role == KeyRole::read ? engine::Mode::shared : engine::Mode::exclusive;
    entry.token = {static_cast<std::uint64_t>(kv.create_revision())};
    if (const auto at = times.find(kv.create_revision()); at != times.end()) {
      entry.since = at->second;
    }
    if (role == KeyRole::claim) {
      const PermitClaim claimed = read_permit_claim(kv.value());
      entry.permits = claimed.permits;
      entry.payload = claimed.payload;
    }
    line.push_back({.mode = entry.mode, .permits = entry.permits});
    entries.push_back(std::move(entry));
  }
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool was_in =
        entries[i].token.value <= static_cast<std::uint64_t>(count.admitted_until);
    entries[i].granted = kind_ == engine::Kind::double_barrier
                             ? ready
                             : was_in || engine::admits(kind_, count.permits, line, i);
  }
  return entries;
}

}  // namespace holdfast::etcd
