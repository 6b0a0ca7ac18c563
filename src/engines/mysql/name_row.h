// SPDX-License-Identifier: Apache-2.0

// engines/mysql/name_row.h - the row of one name.

#pragma once

#include <atomic>
#include <string>

#include "engines/mysql/backend.h"
#include "holdfast/engine/claim.h"

namespace holdfast::mysql {

// The class is safe for concurrent use.
class NameRow {
 public:
  NameRow(Backend& backend, std::string name, engine::Kind kind)
      : backend_(backend), name_(std::move(name)), kind_(kind) {}

  const std::string& name() const noexcept { return name_; }
  engine::Kind kind() const noexcept { return kind_; }

  // Returns the id of the row. The row is made if there is none, and adapted if another
  // kind had it and does not need it any more. Errc::wrong_kind: another kind needs it.
  Result<std::uint64_t> need(engine::Deadline until);

  // Returns the epoch that was last seen.
  std::uint64_t epoch() const noexcept {
    return epoch_.load(std::memory_order_relaxed);
  }
  void remember_epoch(std::uint64_t epoch) noexcept {
    epoch_.store(epoch, std::memory_order_relaxed);
  }

  // Returns whether the name was taken whenever it was last asked for, so often that
  // the next caller need not try. Now and then it is false all the same, because a try
  // shows that the name is contended no more.
  bool is_contended() const noexcept;
  void was_taken() noexcept;
  void was_free() noexcept;

  // Notes that the row has changed or is gone, so that `need` asks the database again.
  void forget() noexcept { id_.store(0, std::memory_order_relaxed); }
  void remember(std::uint64_t id) noexcept { id_.store(id, std::memory_order_relaxed); }

 private:
  Backend& backend_;
  const std::string name_;
  const engine::Kind kind_;
  std::atomic<std::uint64_t> id_{0};
  std::atomic<std::uint64_t> epoch_{0};
  std::atomic<std::uint32_t> misses_{0};  // one after the other
};

}  // namespace holdfast::mysql
