// engines/mysql/marks.h - how a change to a number is known to have been made.
//
// A change whose answer is lost may have been made or not. So it is made together with
// another, of a row that only this client writes: its mark, which then says whose
// change was the last with it. A change wants the number's version as it was seen, and
// a mark that does not speak of it yet: if it is sent again while it is on its way, one
// of the two comes to nothing.

#pragma once

#include <cstdint>
#include <optional>

#include "holdfast/engine/claim.h"

namespace holdfast::mysql {

// Belongs to one call at a time.
struct Mark {
  explicit Mark(std::uint64_t number) noexcept : slot(number) {}
  void begin(engine::Ticket next) noexcept {
    ticket = next;
    known.reset();
    in_doubt = false;
    may_arrive = false;
  }
  bool settled() const noexcept { return known || !may_arrive; }

  const std::uint64_t slot;
  engine::Ticket ticket = engine::Ticket::none;
  std::optional<engine::Exchanged> known = {};  // what became of the ticket's change
  bool in_doubt = false;                        // whether it was made
  bool may_arrive = false;  // it was in doubt, and may be on its way
  bool busy = false;
};

}  // namespace holdfast::mysql
