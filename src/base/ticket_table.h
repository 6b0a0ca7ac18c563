// base/ticket_table.h - what an engine knows about the claims of one resource.

#pragma once

#include <memory>
#include <unordered_map>
#include <utility>

#include "base/mutex.h"
#include "holdfast/engine/claim.h"

namespace holdfast::base {

// A `Row` belongs to the calls for its ticket, which come one after another. The table
// is safe for concurrent use.
template <class Row>
class TicketTable {
 public:
  std::shared_ptr<Row> find(engine::Ticket ticket) const {
    MutexLock lock(mutex_);
    const auto found = rows_.find(ticket);
    return found != rows_.end() ? found->second : nullptr;
  }

  std::shared_ptr<Row> find_or_add(engine::Ticket ticket) {
    MutexLock lock(mutex_);
    auto& row = rows_[ticket];
    if (row == nullptr) row = std::make_shared<Row>();
    return row;
  }

  void put(engine::Ticket ticket, std::shared_ptr<Row> row) {
    MutexLock lock(mutex_);
    rows_[ticket].swap(row);
  }

  void erase(engine::Ticket ticket) noexcept {
    std::shared_ptr<Row> last;  // It is destroyed without the mutex.
    MutexLock lock(mutex_);
    const auto found = rows_.find(ticket);
    if (found == rows_.end()) return;
    last = std::move(found->second);
    rows_.erase(found);
  }

 private:
  mutable Mutex mutex_;
  std::unordered_map<engine::Ticket, std::shared_ptr<Row>> rows_
      HOLDFAST_GUARDED_BY(mutex_);
};

}  // namespace holdfast::base
