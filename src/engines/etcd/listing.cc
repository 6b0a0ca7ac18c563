// SPDX-License-Identifier: Apache-2.0

#include "engines/etcd/listing.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "engines/etcd/names.h"
#include "engines/etcd/register_text.h"
#include "engines/etcd/semaphore.h"
#include "engines/etcd/transport/txn.h"
#include "engines/kit/queue_rules.h"
#include "engines/kit/session.h"

namespace holdfast::etcd {

using engine::Entry;
using engine::Kind;

namespace {

constexpr std::int64_t kKeys = 500;  // keys in one request

std::optional<Kind> kind_of(KeyRole role) noexcept {
  switch (role) {
    case KeyRole::lock:
      return Kind::mutex;
    case KeyRole::read:
    case KeyRole::write:
      return Kind::shared_mutex;
    case KeyRole::claim:
    case KeyRole::permits:
      return Kind::semaphore;
    case KeyRole::waiter:
    case KeyRole::ready:
      return Kind::double_barrier;
    case KeyRole::other:
      return std::nullopt;
  }
  return std::nullopt;
}

// The key of a lock ends in the id of its lease. Any other key directly below a name is
// not Holdfast's.
bool is_of_a_lock(const wire::KeyValue& kv, std::string_view last) noexcept {
  return kv.lease() != 0 &&
         last.starts_with(hex(static_cast<std::uint64_t>(kv.lease())));
}

class Walk {
 public:
  Walk(Backend& backend, std::string_view prefix, std::string_view from)
      : backend_(backend),
        root_(backend.options().root),
        raw_(backend.options().raw_names),
        prefix_(prefix),
        from_(from) {}

  Result<engine::Page> run(engine::Deadline until) {
    wire::RangeRequest range = all_below(root_ + spelt(prefix_));
    if (from_ > prefix_) range.set_key(root_ + spelt(from_));
    if (range.key().empty()) range.set_key(std::string(1, '\0'));
    range.set_limit(kKeys);
    for (;;) {
      const auto answer = backend_.calls().range(range, until);
      if (!answer) return answer.error();
      for (const wire::KeyValue& kv : answer->kvs()) {
        visit(kv);
        if (!page_.next.empty()) return std::move(page_);
      }
      if (!answer->more() || answer->kvs_size() == 0) return std::move(page_);
      range.set_key(answer->kvs(answer->kvs_size() - 1).key() + '\0');
    }
  }

 private:
  std::string spelt(const std::string& name) const {
    return raw_ ? name : encode_name(name);
  }

  void visit(const wire::KeyValue& kv) {
    const std::string_view key = std::string_view(kv.key()).substr(root_.size());
    if (key.starts_with("%marks/") || key.starts_with("%gone/")) return;
    const auto slash = raw_ ? last_name_end(key) : key.find('/');
    const std::string_view name = key.substr(0, slash);
    std::optional<Kind> kind;
    if (slash == std::string_view::npos) {
      kind = kind_of_number(kv.value()).value_or(Kind::barrier);
      if (kind == Kind::barrier && !kv.value().empty()) return;
    } else {
      const std::string_view rest = key.substr(slash + 1);
      const KeyRole role = role_of(rest);
      if (role == KeyRole::lock && !is_of_a_lock(kv, rest)) return;
      kind = kind_of(role);
    }
    if (kind) add(*kind, name);
  }

  // Where names are paths, the rest of the key says where the name ends.
  static std::size_t last_name_end(std::string_view key) {
    const auto last = key.rfind('/');
    if (last == std::string_view::npos || last == 0) return std::string_view::npos;
    const auto before = key.rfind('/', last - 1);
    if (before != std::string_view::npos && before > 0) {
      const KeyRole role = role_of(key.substr(before + 1));
      if (is_claim_key(role) && role != KeyRole::lock) return before;
    }
    return last;
  }

  void add(Kind kind, std::string_view spelling) {
    const auto name =
        raw_ ? std::optional(std::string(spelling)) : decode_name(spelling);
    if (!name || name->empty() || !name->starts_with(prefix_) || *name <= from_) return;
    if (!page_.addresses.empty() && page_.addresses.back().name == *name) return;
    kit::add_to(page_, {kind, *name});
  }

  Backend& backend_;
  const std::string root_;
  const bool raw_;
  const std::string prefix_;
  const std::string from_;
  engine::Page page_;
};

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

Result<engine::Page> list_names(Backend& backend, std::string_view prefix,
                                std::string_view from, engine::Deadline until) {
  return Walk(backend, prefix, from).run(until);
}

Result<std::vector<Entry>> survey_claims(Backend& backend, Kind kind,
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
