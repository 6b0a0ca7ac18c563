// SPDX-License-Identifier: Apache-2.0

// core/id_table.h - finds values by ids that grow.
//
// It is a sorted vector, because there may be very many values and each should cost
// little; for the same reason it grows by an eighth only. A value that is erased leaves
// a hole; the holes are removed when there are more than twice as many rows as values.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace holdfast::core {

// The class is not safe for concurrent use.
template <class T>
class IdTable {
 public:
  using Id = std::uint64_t;

  // It is cheap when the id is larger than all others. REQUIRES: this id was never in
  // the table.
  void insert(Id id, T value) {
    if (rows_.size() == rows_.capacity()) rows_.reserve(rows_.size() * 9 / 8 + 16);
    rows_.insert(at_or_after(id), Row{id & kLargest, true, std::move(value)});
    ++size_;
  }

  T* find(Id id) noexcept {
    const auto row = at_or_after(id);
    return row != rows_.end() && row->id == id && row->live ? &row->value : nullptr;
  }

  void erase(Id id) {
    const auto row = at_or_after(id);
    if (row == rows_.end() || row->id != id || !row->live) return;
    row->live = false;
    row->value = T{};
    --size_;
    while (!rows_.empty() && !rows_.back().live) rows_.pop_back();
    if (rows_.size() > 2 * size_ + 16) {
      std::erase_if(rows_, [](const Row& each) { return !each.live; });
    }
  }

  // `use(id, value)` must not change the table.
  template <class Use>
  void each(Use&& use) {
    for (Row& row : rows_) {
      if (row.live) use(static_cast<Id>(row.id), row.value);
    }
  }

  std::size_t size() const noexcept { return size_; }

 private:
  static constexpr Id kLargest = ~Id{0} >> 1;
  struct Row {
    Id id : 63;
    Id live : 1;
    T value;
  };

  auto at_or_after(Id id) noexcept {
    return std::lower_bound(rows_.begin(), rows_.end(), id,
                            [](const Row& row, Id wanted) { return row.id < wanted; });
  }

  std::vector<Row> rows_;
  std::size_t size_ = 0;
};

}  // namespace holdfast::core
