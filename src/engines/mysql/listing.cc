// SPDX-License-Identifier: Apache-2.0

#include "engines/mysql/listing.h"

#include <utility>

#include "engines/kit/session.h"
#include "engines/mysql/transport/sql.h"
#include "holdfast/holder.h"

namespace holdfast::mysql {

using engine::Deadline;

namespace {

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

// The row of every claim names its thread, but the payload shows the thread only
// together with a `LockReason`.
std::string payload_in(const Row& row) {
  Holder holder;
  holder.text = row[1].text;
  holder.function = row[9].text;
  holder.description = row[10].text;
  const bool said = !holder.function.empty() || !holder.description.empty();
  if (said) holder.thread = row[8].text;
  return write_holder(holder);
}

}  // namespace

Result<engine::Page> list_names(Backend& backend, std::string_view prefix,
                                std::string_view from, Deadline until) {
  engine::Page page;
  if (!backend.has_tables()) return page;
  const Args args(from, prefix, std::uint64_t{prefix.size()}, prefix,
                  std::uint64_t{kit::kPage} + 1);
  auto answer = backend.run(sql::kList, args, until);
  if (!answer) return std::move(answer).error();
  for (Row& row : answer->rows) {
    kit::add_to(page, {kind_of(row[1].number), std::move(row[0].text)});
  }
  return page;
}

Result<std::uint64_t> sweep_names(Backend& backend, std::chrono::seconds unused_for,
                                  Deadline until) {
  if (!backend.has_tables()) return 0;
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

Result<std::vector<engine::Entry>> survey_claims(Backend& backend, const NameRow& row,
                                                 std::size_t limit, Deadline until) {
  const bool in_row = row.kind() == engine::Kind::mutex;
  Args args(row.name());
  if (in_row) {
    args << row.name();
  } else {
    args << number_of(row.kind());
  }
  args << static_cast<std::uint64_t>(limit);
  auto answer = backend.run(in_row ? sql::kHolder : sql::kClaims, args, until);
  if (!answer) return std::move(answer).error();
  std::vector<engine::Entry> entries;
  for (const Row& claim : answer->rows) {
    engine::Entry& entry = entries.emplace_back();
    entry.owner = claim[0].text;
    entry.payload = payload_in(claim);
    entry.mode = claim[2].number == 2 ? engine::Mode::shared : engine::Mode::exclusive;
    entry.permits = static_cast<std::uint32_t>(claim[3].number);
    entry.granted = claim[4].number != 0;
    entry.token = {claim[5].count()};
    if (!claim[6].null) {
      entry.since = std::chrono::system_clock::time_point(claim[6].span());
    }
    entry.left = claim[7].span();
  }
  return entries;
}

}  // namespace holdfast::mysql
