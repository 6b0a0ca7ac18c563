#include "engines/mysql/holds.h"

#include <algorithm>
#include <utility>

#include "base/thread.h"
#include "base/time_left.h"
#include "engines/mysql/transport/sql.h"

namespace holdfast::mysql {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::nanoseconds kBetweenLooks = 750ms;
constexpr auto kTimeForALook = 2s;
constexpr std::size_t kMostPerLook = 1000;

}  // namespace

Holds::~Holds() {
  std::thread last;
  {
    base::MutexLock lock(mutex_);
    stopping_ = true;
    last.swap(thread_);
    woken_.notify_one();
  }
  if (last.joinable()) last.join();
}

void Holds::watch(Table table, std::uint64_t id, const std::string& owner,
                  std::weak_ptr<const void> held) {
  base::MutexLock lock(mutex_);
  if (stopping_) return;
  rows_.insert_or_assign(owner, Row{table, id, std::move(held)});
  if (!thread_.joinable()) {
    thread_ = base::start_thread("holdfast-holds", [this] { run(); });
  }
  woken_.notify_one();
}

void Holds::run() {
  base::MutexLock lock(mutex_);
  while (!stopping_) {
    std::erase_if(rows_, [](const auto& each) { return each.second.held.expired(); });
    if (rows_.empty()) {
      woken_.wait(lock);
      continue;
    }
    const auto due = Clock::now() + kBetweenLooks;
    for (auto now = Clock::now(); !stopping_ && now < due; now = Clock::now()) {
      woken_.wait_for(lock, base::time_left(due));
    }
    if (stopping_) return;
    const Rows rows = rows_;
    lock.unlock();
    if (is_any_gone(rows) && alarm_ != nullptr) alarm_->ring();
    lock.lock();
  }
}

// A claim that was given back since the rows were listed is not held any more, and no
// cause to ring.
bool Holds::is_any_gone(const Rows& rows) {
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

std::optional<std::set<std::string>> Holds::owners(
    Table table, const std::vector<std::uint64_t>& ids) {
  std::set<std::string> owners;
  const auto until = Clock::now() + kTimeForALook;
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
