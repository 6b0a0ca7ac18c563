// SPDX-License-Identifier: Apache-2.0

#include "engines/etcd/survey.h"

#include <string_view>
#include <utility>

#include "engines/etcd/names.h"
#include "engines/etcd/semaphore.h"
#include "engines/etcd/transport/txn.h"
#include "engines/kit/queue_rules.h"

namespace holdfast::etcd {

using engine::Entry;

namespace {

// The indexes of the responses in a transaction's answer.
constexpr int kSurveyed = 0;
constexpr int kTimes = 1;

constexpr std::size_t kOtherKeys = 1;  // `permits` or `ready`

// A user may have the right to read the queue and not the grant times.
Result<wire::TxnResponse> read_queue(Backend& backend, const std::string& below,
                                     const GrantTimes& grant_times, std::size_t limit,
                                     engine::Deadline until) {
  wire::RangeRequest range = in_order_below(below);
  range.set_limit(static_cast<std::int64_t>(limit + kOtherKeys));
  const auto ask = [&](bool with_times) {
    Txn txn;
    txn.then().range(range);
    if (with_times) txn.then().range(grant_times.first(limit));
    return backend.calls().txn(txn.request(), until);
  };
  auto answer = ask(true);
  if (!answer && answer.error().code == Errc::denied) answer = ask(false);
  return answer;
}

Entry entry_of(std::string_view suffix, KeyRole role, const wire::KeyValue& kv,
               const GrantTimes::Times& times) {
  Entry entry;
  entry.owner = suffix;
  entry.payload = kv.value();
  entry.mode = role == KeyRole::read ? engine::Mode::shared : engine::Mode::exclusive;
  entry.token = {static_cast<std::uint64_t>(kv.create_revision())};
  if (const auto at = times.find(kv.create_revision()); at != times.end()) {
    entry.since = at->second;
  }
  if (role == KeyRole::claim) {
    PermitClaim claimed = read_permit_claim(kv.value());
    entry.permits = claimed.permits;
    entry.payload = std::move(claimed.payload);
  }
  return entry;
}

}  // namespace

Result<std::vector<Entry>> survey_claims(Backend& backend, engine::Kind kind,
                                         const std::string& below,
                                         const GrantTimes& grant_times,
                                         std::size_t limit, engine::Deadline until) {
  const auto answer = read_queue(backend, below, grant_times, limit, until);
  if (!answer) return answer.error();
  const auto times = grant_times.read(ranged(*answer, kTimes));
  std::vector<Entry> entries;
  PermitCount count;
  bool ready = false;
  for (const wire::KeyValue& kv : ranged(*answer, kSurveyed).kvs()) {
    const std::string_view suffix = std::string_view(kv.key()).substr(below.size());
    const KeyRole role = role_of(suffix);
    if (!belongs(role, kind)) continue;
    ready = ready || role == KeyRole::ready;
    if (role == KeyRole::permits) count = read_permit_count(kv).value_or(PermitCount());
    if (!is_claim_key(role) || entries.size() == limit) continue;
    entries.push_back(entry_of(suffix, role, kv, times));
  }
  for (Entry& each : entries) {
    each.granted =
        ready || each.token.value <= static_cast<std::uint64_t>(count.admitted_until);
  }
  kit::mark_granted(kind, count.permits, entries);
  return entries;
}

}  // namespace holdfast::etcd
