// SPDX-License-Identifier: Apache-2.0

// engines/local/registers.h - the register of one name, a number with a version.

#pragma once

#include <optional>

#include "engines/local/bound_record.h"

namespace holdfast::local {

class Registers {
 public:
  explicit Registers(BoundRecord& record) noexcept : record_(record) {}

  Result<engine::Value> load(engine::Deadline until);
  Result<engine::Value> add(std::int64_t by, engine::Ticket ticket,
                            engine::Deadline until);
  Result<engine::Exchanged> exchange(const engine::Value& from,
                                     std::optional<std::int64_t> to,
                                     engine::Ticket ticket, engine::Deadline until);

 private:
  ProcessSlot& process() const noexcept { return *record_.process(); }
  Segment& segment() const noexcept { return record_.segment(); }

  engine::Value value_of(const RecordGuard& guard) const noexcept;
  void set_value(RecordGuard& guard, BlockIndex cell,
                 std::optional<std::int64_t> to) noexcept;
  template <class F>
  Result<engine::Exchanged> change(engine::Ticket ticket, engine::Deadline until,
                                   F&& rule);

  BoundRecord& record_;
};

}  // namespace holdfast::local
