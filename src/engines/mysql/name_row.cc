// SPDX-License-Identifier: Apache-2.0

#include "engines/mysql/name_row.h"

#include "base/common_failures.h"
#include "engines/mysql/errors.h"
#include "engines/mysql/transport/sql.h"

namespace holdfast::mysql {
namespace {

// Whatever became of the statement, it claimed nothing.
Failure not_asked(Failure why) {
  if (why.code == Errc::outcome_unknown) why.code = make_error_code(Errc::unavailable);
  return why;
}

}  // namespace

Result<std::uint64_t> NameRow::need(engine::Deadline until) {
  if (const auto known = id_.load(std::memory_order_relaxed); known != 0) return known;
  for (;;) {
    auto found = backend_.run(sql::kFind, Args(name_), until);
    if (!found) return not_asked(std::move(found).error());
    if (found->rows.empty()) {
      if (auto done = backend_.run(sql::kMake, Args(name_, number_of(kind_)), until);
          !done) {
        return not_asked(std::move(done).error());
      }
      continue;
    }
    const Row& row = found->rows.front();
    const std::uint64_t id = row[0].count();
    if (row[1].number == number_of(kind_)) {
      remember(id);
      remember_epoch(row[3].count());
      return id;
    }
    if (row[2].number != 0) return base::used_by_another_kind(base::in_quotes(name_));
    auto adapted =
        backend_.run(sql::kAdapt, Args(number_of(kind_), id, row[1].number), until);
    if (!adapted) return not_asked(std::move(adapted).error());
    if (adapted->matched == 0 && Clock::now() >= until) {
      return base::used_by_another_kind(base::in_quotes(name_));
    }
  }
}

bool NameRow::is_contended() const noexcept {
  constexpr std::uint32_t kOften = 16;
  const auto misses = misses_.load(std::memory_order_relaxed);
  return misses >= kOften && misses % kOften != 0;
}

void NameRow::was_taken() noexcept { misses_.fetch_add(1, std::memory_order_relaxed); }

void NameRow::was_free() noexcept {
  if (misses_.load(std::memory_order_relaxed) != 0) {
    misses_.store(0, std::memory_order_relaxed);
  }
}

}  // namespace holdfast::mysql
