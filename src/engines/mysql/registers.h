// SPDX-License-Identifier: Apache-2.0

// engines/mysql/registers.h - the number in the row of a name.
//
// A change names the version that was last seen; if that is out of date,
// kit::RegisterLoop reads the number and tries again.
//
// The receipts of changes are rows of holdfast_mark, which only this client writes. The
// statement that changes a number is idempotent: it has no effect if its receipt names
// the ticket already. So if it is sent again while the first one is still on its way,
// only one of the two changes the number.

#pragma once

#include <optional>

#include "base/mutex.h"
#include "engines/kit/register_loop.h"
#include "engines/mysql/backend.h"
#include "engines/mysql/name_row.h"

namespace holdfast::mysql {

// The class is safe for concurrent use.
class Register {
 public:
  Register(Backend& backend, NameRow& row) : backend_(backend), row_(row) {}

  // These do what engine::Resource says of them.
  Result<engine::Value> load(engine::Deadline until);
  Result<engine::Value> add(std::int64_t by, engine::Ticket ticket,
                            engine::Deadline until) {
    return kit::RegisterLoop(*this).add(by, ticket, until);
  }
  Result<engine::Exchanged> exchange(const engine::Value& from,
                                     std::optional<std::int64_t> to,
                                     engine::Ticket ticket, engine::Deadline until) {
    return kit::RegisterLoop(*this).exchange(from, to, ticket, until);
  }

  // These fulfil kit::RegisterStore.
  using Receipt = kit::ChangeReceipt;
  // This is the row as it was last read. Its version also grows while there is no
  // number.
  struct Seen {
    std::uint64_t id = 0;  // zero means that there is no row
    std::uint64_t version = 0;
    std::optional<std::int64_t> number = {};
  };
  kit::ReceiptPool<Receipt>& receipts() noexcept { return backend_.receipts(); }
  std::optional<Seen> cached() const;
  Result<Seen> read(engine::Deadline until);
  Result<kit::Written<Seen>> write(const Seen& from, std::optional<std::int64_t> to,
                                   Receipt* receipt, engine::Deadline until);
  Result<void> look_up(Receipt& receipt, engine::Deadline until);
  engine::Value value_of(const Seen& seen) const noexcept {
    return seen.number ? engine::Value{*seen.number, seen.version} : engine::Value{};
  }
  bool fits(const Seen&, std::int64_t) const noexcept { return true; }
  bool is_latch() const noexcept { return row_.kind() == engine::Kind::latch; }
  std::string subject() const { return base::in_quotes(row_.name()); }

 private:
  // Both return whether the number was changed.
  Result<bool> update(const Seen& from, std::optional<std::int64_t> to,
                      engine::Deadline until);
  Result<bool> update_with(Receipt& receipt, const Seen& from,
                           std::optional<std::int64_t> to, engine::Deadline until);
  void remember(const Seen& seen);

  Backend& backend_;
  NameRow& row_;
  mutable base::Mutex mutex_;
  Seen last_ HOLDFAST_GUARDED_BY(mutex_);
};

}  // namespace holdfast::mysql
