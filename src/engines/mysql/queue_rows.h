// SPDX-License-Identifier: Apache-2.0

// engines/mysql/queue_rows.h - the queue of one name, as one SELECT shows it.

#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engines/mysql/transport/statement.h"
#include "holdfast/engine/admission.h"

namespace holdfast::mysql {

// This is one row of holdfast_claim.
struct QueuedClaim {
  std::uint64_t id = 0;
  std::string owner;
  engine::QueueEntry entry;
  bool has_bell = false;
  std::uint64_t token = 0;
  std::chrono::microseconds left{};
};

struct QueueRows {
  std::uint64_t fence = 0;
  std::uint64_t clock = 0;  // the server's, in microseconds
  std::uint64_t version = 0;
  std::optional<std::int64_t> value;
  std::vector<QueuedClaim> claims;  // those whose time is not over, in order
  std::size_t own = 0;              // the index of the claim of `owner`, if it has one
  bool has_expired = false;         // there are rows whose time is over

  // REQUIRES: `rows` are those of sql::kQueue, and there is at least one.
  static QueueRows of(const std::vector<Row>& rows, std::string_view owner);

  bool is_in() const noexcept { return own < claims.size(); }

  // Returns the stored capacity of a semaphore, or zero if none is stored.
  std::uint32_t capacity() const noexcept {
    return static_cast<std::uint32_t>(
        std::clamp<std::int64_t>(value.value_or(0), 0, UINT32_MAX));
  }

  // Returns whether the own claim can be granted, by the rule that all engines share.
  bool admits(engine::Kind kind, std::uint32_t capacity) const;

  // Returns the one claim that must end before the own claim can be granted: the claim
  // before it, or for a reader the nearest writer before it. Null means that any of
  // several claims may end first, as those of a semaphore. REQUIRES: `admits` returned
  // false.
  const QueuedClaim* obstacle(engine::Kind kind, std::uint32_t capacity) const;

 private:
  std::vector<engine::QueueEntry> entries() const;
};

}  // namespace holdfast::mysql
