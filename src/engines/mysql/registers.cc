// SPDX-License-Identifier: Apache-2.0

#include "engines/mysql/registers.h"

#include <utility>

#include "engines/mysql/errors.h"
#include "engines/mysql/transport/sql.h"

namespace holdfast::mysql {

using engine::Deadline;
using engine::Exchanged;
using engine::Value;

std::optional<Register::Seen> Register::cached() const {
  base::MutexLock lock(mutex_);
  return last_.id != 0 ? std::optional(last_) : std::nullopt;
}

void Register::remember(const Seen& seen) {
  base::MutexLock lock(mutex_);
  if (seen.id != last_.id || seen.version > last_.version) last_ = seen;
}

// A row that another kind had and does not need any more counts as no row.
Result<Register::Seen> Register::read(Deadline until) {
  auto answer = backend_.run(sql::kLoad, Args(row_.name()), until);
  if (!answer) return std::move(answer).error();
  if (answer->rows.empty()) {
    row_.forget();
    remember({});
    return Seen{};
  }
  const Row& row = answer->rows.front();
  if (row[1].number != number_of(row_.kind())) {
    row_.forget();
    auto id = row_.need(until);
    if (!id) return std::move(id).error();
    return read(until);
  }
  Seen seen{.id = row[0].count(), .version = row[3].count()};
  if (!row[2].null) seen.number = row[2].number;
  row_.remember(seen.id);
  remember(seen);
  return seen;
}

Result<Value> Register::load(Deadline until) {
  const auto seen = read(until);
  if (!seen) return seen.error();
  return value_of(*seen);
}

Result<void> Register::look_up(Receipt& receipt, Deadline until) {
  auto answer = backend_.run(sql::kReceipt,
                             Args(backend_.names().client(), receipt.number), until);
  if (!answer) return std::move(answer).error();
  receipt.in_doubt = false;
  if (answer->rows.empty()) return {};
  const Row& row = answer->rows.front();
  if (row[0].count() != static_cast<std::uint64_t>(receipt.ticket)) return {};
  Exchanged done{true, {}};
  if (!row[1].null) done.now = {row[1].number, row[2].count()};
  receipt.known = done;
  return {};
}

Result<kit::Written<Register::Seen>> Register::write(const Seen& from,
                                                     std::optional<std::int64_t> to,
                                                     Receipt* receipt, Deadline until) {
  using Written = kit::Written<Seen>;
  if (from.id == 0) {
    if (auto made = row_.need(until); !made) return std::move(made).error();
    return Written{};
  }
  const auto changed = receipt != nullptr ? update_with(*receipt, from, to, until)
                                          : update(from, to, until);
  if (!changed.has_value()) return changed.error();
  if (!*changed) return Written{};
  const Seen now{from.id, from.version + 1, to};
  remember(now);
  return Written{true, now};
}

Result<bool> Register::update(const Seen& from, std::optional<std::int64_t> to,
                              Deadline until) {
  const Args args(to, from.version + 1, from.id, number_of(row_.kind()), from.version);
  auto changed = backend_.run(sql::kChange, args, until);
  if (!changed) return std::move(changed).error();
  return changed->matched > 0;
}

Result<bool> Register::update_with(Receipt& receipt, const Seen& from,
                                   std::optional<std::int64_t> to, Deadline until) {
  const std::uint64_t next = from.version + 1;
  const auto ticket = static_cast<std::uint64_t>(receipt.ticket);
  const Args args(backend_.names().client(), receipt.number, to, next, ticket, to, next,
                  from.id, number_of(row_.kind()), from.version, ticket);
  receipt.in_doubt = true;
  auto changed = backend_.run(sql::kChangeWithReceipt, args, until);
  receipt.in_doubt = !changed && changed.error().code == Errc::outcome_unknown;
  if (!changed) return std::move(changed).error();
  if (changed->matched > 0) return true;
  // There may be no such receipt yet.
  auto made = backend_.run(sql::kMakeReceipt,
                           Args(backend_.names().client(), receipt.number), until);
  if (!made) return Failure(Errc::unavailable, made.error().context);
  return false;
}

}  // namespace holdfast::mysql
