// SPDX-License-Identifier: Apache-2.0

// engines/mysql/hold_monitor.h - notices that another client has ended a granted claim.
//
// The server cannot tell a client anything. So one thread reads, every three quarters
// of a second, the rows of all claims that have been renewed once: one query by primary
// key for each table, however many claims there are. A hold that is shorter than that
// costs nothing, and without any hold the thread sleeps.

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "base/poll_thread.h"
#include "engines/mysql/transport/pool.h"

namespace holdfast::mysql {

// The class is safe for concurrent use.
class HoldMonitor {
 public:
  // `alarm` is rung when a row is gone; a renewal then shows which claim it was.
  HoldMonitor(Pool& pool, engine::Waker alarm)
      : pool_(pool),
        alarm_(std::move(alarm)),
        thread_("hf-mysql-holds", [this] { return look(); }) {}

  enum class Table : std::uint8_t { resource, claim };

  // Watches the row `id` for as long as `held` lives. If the owner is watched already,
  // this replaces what is watched for it. Without a thread or memory for it the row is
  // not watched; the claim is then found to be gone by its next renewal.
  void watch(Table table, std::uint64_t id, const std::string& owner,
             std::weak_ptr<const void> held) noexcept;

 private:
  struct WatchedRow {
    Table table;
    std::uint64_t id;
    std::weak_ptr<const void> held;
  };
  using Rows = std::map<std::string, WatchedRow>;  // by owner

  Clock::time_point look();
  bool is_any_gone(const Rows& rows);
  // Returns the owners of the rows that are there, or nothing if the server did not
  // answer.
  std::optional<std::set<std::string>> owners(Table table,
                                              const std::vector<std::uint64_t>& ids);

  Pool& pool_;
  const engine::Waker alarm_;
  Clock::time_point due_ = Clock::time_point::max();  // Only the thread uses it.
  base::Mutex mutex_;
  Rows rows_ HOLDFAST_GUARDED_BY(mutex_);  // none unless the thread runs
  base::PollThread thread_;
};

}  // namespace holdfast::mysql
