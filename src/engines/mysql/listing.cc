// SPDX-License-Identifier: Apache-2.0

#include "engines/mysql/listing.h"

#include <utility>

#include "engines/mysql/transport/sql.h"

namespace holdfast::mysql {

using engine::Deadline;

namespace {

constexpr std::uint64_t kPage = 100;

// Removes row by row, so that no client at work has to wait for it, until no row is
// found any more, or none can be removed.
template <class Remove>
Result<std::uint64_t> sweep_by(Backend& backend, const Sql& find, std::int64_t seconds,
                               Deadline until, Remove remove) {
  std::uint64_t removed = 0;
  for (std::uint64_t before = 0;; before = removed) {
    auto found = backend.run(find, Args(seconds), until);
    if (!found) return std::move(found).error();
    for (const Row& row : found->rows) {
      auto gone = remove(row[0]);
      if (!gone) return std::move(gone).error();
      removed += gone->matched;
    }
    if (found->rows.empty() || removed == before) return removed;
  }
}

}  // namespace

Result<engine::Page> list(Backend& backend, std::string_view prefix,
                          std::string_view from, Deadline until) {
  engine::Page page;
  const Args args(from, prefix, std::uint64_t{prefix.size()}, prefix, kPage + 1);
  auto answer = backend.run(sql::kList, args, until);
  if (!answer) return std::move(answer).error();
  for (Row& row : answer->rows) {
    if (page.addresses.size() == kPage) {
      page.next = page.addresses.back().name;
      break;
    }
    page.addresses.push_back({kind_of(row[1].number), std::move(row[0].text)});
  }
  return page;
}

Result<std::uint64_t> sweep(Backend& backend, std::chrono::seconds unused_for,
                            Deadline until) {
  const std::int64_t seconds = unused_for.count();
  auto orphans =
      sweep_by(backend, sql::kOrphans, seconds, until, [&](const Cell& resource) {
        return backend.run(sql::kPurge, Args(resource.count()), until);
      });
  if (!orphans) return orphans;
  auto receipts =
      sweep_by(backend, sql::kOldReceipts, seconds, until, [&](const Cell& client) {
        return backend.run(sql::kRemoveReceipts, Args(client.text, seconds), until);
      });
  if (!receipts) return receipts;
  return sweep_by(backend, sql::kUnused, seconds, until, [&](const Cell& id) {
    return backend.run(sql::kRemove, Args(id.count(), seconds), until);
  });
}

}  // namespace holdfast::mysql
