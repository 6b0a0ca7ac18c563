// engines/mysql/holds.h - sees that a granted claim was ended by another client.
//
// The server has no way to tell a client anything. So one thread looks, once in three
// quarters of a second, at the rows of all claims that have been renewed once: one read
// by primary key for each table, however many there are. Holds that are shorter than
// that are never looked at, and without any the thread sleeps.

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "engines/mysql/transport/pool.h"

namespace holdfast::mysql {

// Safe for concurrent use.
class Holds {
 public:
  // `alarm` is rung when a row is gone; a renewal then says of which claim.
  Holds(Pool& pool, engine::Waker alarm) : pool_(pool), alarm_(std::move(alarm)) {}
  ~Holds();

  enum class Table : std::uint8_t { resource, claim };

  // Looks at the row `id` for as long as `held` lives. The same owner again changes
  // nothing but that.
  void watch(Table table, std::uint64_t id, const std::string& owner,
             std::weak_ptr<const void> held);

 private:
  struct Row {
    Table table;
    std::uint64_t id;
    std::weak_ptr<const void> held;
  };
  using Rows = std::map<std::string, Row>;  // by owner

  void run();
  bool is_any_gone(const Rows& rows);
  // The owners of rows that are there. Empty: the server did not answer.
  std::optional<std::set<std::string>> owners(Table table,
                                              const std::vector<std::uint64_t>& ids);

  Pool& pool_;
  const engine::Waker alarm_;
  base::Mutex mutex_;
  base::CondVar woken_;
  Rows rows_ HOLDFAST_GUARDED_BY(mutex_);
  std::thread thread_ HOLDFAST_GUARDED_BY(mutex_);
  bool stopping_ HOLDFAST_GUARDED_BY(mutex_) = false;
};

}  // namespace holdfast::mysql
