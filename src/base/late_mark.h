// base/late_mark.h - what is known of a change to a register that may arrive late.

#pragma once

#include <cstdint>
#include <optional>

#include "holdfast/engine/claim.h"

namespace holdfast::base {

// For a `MarkPool`. Belongs to one call at a time.
struct LateMark {
  explicit LateMark(std::uint64_t made) noexcept : number(made) {}

  void begin(engine::Ticket next) noexcept {
    ticket = next;
    known.reset();
    in_doubt = false;
    may_arrive = false;
  }
  bool doubted() const noexcept { return in_doubt || may_arrive; }
  bool settled() const noexcept { return known || !doubted(); }

  const std::uint64_t number;
  engine::Ticket ticket = engine::Ticket::none;
  std::optional<engine::Exchanged> known = {};  // what became of the ticket's change
  bool in_doubt = false;                        // whether it was made
  bool may_arrive = false;  // a call ended in doubt: what it sent may be on its way
  bool busy = false;
};

}  // namespace holdfast::base
