// SPDX-License-Identifier: Apache-2.0

#include "engines/mysql/hold_monitor.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "engines/mysql/transport/sql.h"

namespace holdfast::mysql {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::nanoseconds kBetweenLooks = 750ms;
constexpr auto kLongestLook = 2s;
constexpr std::size_t kMostPerLook = 1000;

}  // namespace

void HoldMonitor::watch(Table table, std::uint64_t id, const std::string& owner,
                        std::weak_ptr<const void> held) noexcept {
  base::MutexLock lock(mutex_);
  if (rows_.empty() && !thread_.wake()) return;
  try {
    rows_.insert_or_assign(owner, WatchedRow{table, id, std::move(held)});
  } catch (const std::exception&) {  // There is no memory.
    return;
  }
}

// It runs for the first time when there is a first row, and is then not due yet.
Clock::time_point HoldMonitor::look() {
  Rows rows;
  {
    base::MutexLock lock(mutex_);
    std::erase_if(rows_, [](const auto& each) { return each.second.held.expired(); });
    rows = rows_;
  }
  if (rows.empty()) return due_ = Clock::time_point::max();
  const bool is_due = Clock::now() >= due_;
  if (is_due && is_any_gone(rows) && alarm_ != nullptr) alarm_->ring();
  return due_ = Clock::now() + kBetweenLooks;
}

// A claim that was given back since the rows were copied is no reason to ring.
bool HoldMonitor::is_any_gone(const Rows& rows) {
  for (const Table table : {Table::resource, Table::claim}) {
    std::vector<std::uint64_t> ids;
    for (const auto& [owner, row] : rows) {
      if (row.table == table && !row.held.expired()) ids.push_back(row.id);
    }
    if (ids.empty()) continue;
    const auto there = owners(table, ids);
    if (!there) return false;
    for (const auto& [owner, row] : rows) {
      if (row.table != table || there->contains(owner)) continue;
      if (!row.held.expired()) return true;
    }
  }
  return false;
}

std::optional<std::set<std::string>> HoldMonitor::owners(
    Table table, const std::vector<std::uint64_t>& ids) {
  std::set<std::string> owners;
  const auto until = Clock::now() + kLongestLook;
  for (std::size_t from = 0; from < ids.size(); from += kMostPerLook) {
    std::string list;
    const auto end = std::min(from + kMostPerLook, ids.size());
    for (std::size_t i = from; i < end; ++i) {
      list += (list.empty() ? "" : ",") + std::to_string(ids[i]);
    }
    auto connection = pool_.lend(until);
    if (!connection) return std::nullopt;
    const auto answer =
        (*connection)
            ->ask(table == Table::resource ? sql::owners_of_rows(list)
                                           : sql::owners_of_claims(list),
                  until);
    if (!answer) return std::nullopt;
    for (const auto& row : *answer) owners.insert(row.at(0));
  }
  return owners;
}

}  // namespace holdfast::mysql
