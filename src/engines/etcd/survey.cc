#include <utility>

#include "engines/etcd/cell.h"
#include "engines/etcd/claims.h"
#include "engines/etcd/semaphore.h"
#include "holdfast/engine/admission.h"

namespace holdfast::etcd {

using engine::Entry;

Result<std::vector<Entry>> ClaimsResource::survey(std::size_t limit,
                                                  engine::Deadline until) {
  constexpr std::size_t kBeside = 1;  // permits, or ready
  wire::RangeRequest range = in_order_below(below());
  range.set_limit(static_cast<std::int64_t>(limit + kBeside));
  constexpr int kInLine = 0;  // in the answers
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
  Stock stock;
  bool ready = false;
  for (const wire::KeyValue& kv : ranged(*answer, kInLine).kvs()) {
    const Sort sort = sort_of(rest_of(kv.key()));
    if (!belongs(sort, kind_)) continue;
    ready = ready || sort == Sort::ready;
    if (sort == Sort::permits) stock = read_stock(kv).value_or(Stock());
    if (!is_place(sort) || entries.size() == limit) continue;
    Entry entry;
    entry.owner = rest_of(kv.key());
    entry.payload = kv.value();
    entry.mode = sort == Sort::read ? engine::Mode::shared : engine::Mode::exclusive;
    entry.token = {static_cast<std::uint64_t>(kv.create_revision())};
    if (const auto at = times.find(kv.create_revision()); at != times.end()) {
      entry.since = at->second;
    }
    if (sort == Sort::claim) {
      const Share share = read_share(kv.value());
      entry.permits = share.permits;
      entry.payload = share.payload;
    }
    line.push_back({.mode = entry.mode, .permits = entry.permits});
    entries.push_back(std::move(entry));
  }
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool was_in =
        entries[i].token.value <= static_cast<std::uint64_t>(stock.in_until);
    entries[i].granted = kind_ == engine::Kind::double_barrier
                             ? ready
                             : was_in || engine::admits(kind_, stock.permits, line, i);
  }
  return entries;
}

}  // namespace holdfast::etcd
