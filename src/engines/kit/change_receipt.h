// SPDX-License-Identifier: Apache-2.0

// engines/kit/change_receipt.h - what is known of one change to a register.
//
// When the reply to a change is lost, the number in the register does not tell whether
// the change was made. So an engine makes it in one step with a second change, of a
// record that only this client writes: the receipt, which then names the ticket that it
// was last written for. A repeated call looks the receipt up and does not apply the
// change twice.

#pragma once

#include <cstdint>
#include <optional>

#include "holdfast/engine/claim.h"

namespace holdfast::kit {

// The client's side of one receipt. An engine derives from it to add where its record
// is. Belongs to one call at a time: see receipt_pool.h.
struct ChangeReceipt {
  explicit ChangeReceipt(std::uint64_t made) noexcept : number(made) {}

  // Makes it as new for another ticket.
  void begin(engine::Ticket next) noexcept {
    ticket = next;
    known.reset();
    in_doubt = false;
    may_arrive = false;
  }
  bool doubted() const noexcept { return in_doubt || may_arrive; }

  // No repeated call needs what the record says of this ticket.
  bool settled() const noexcept { return known || !doubted(); }

  const std::uint64_t number;  // of the record, among this client's
  engine::Ticket ticket = engine::Ticket::none;
  std::optional<engine::Exchanged> known = {};  // the outcome of the ticket's change
  bool in_doubt = false;    // the last request was sent, its reply is not there
  bool may_arrive = false;  // a call ended in doubt: its request may be applied late
  bool busy = false;        // a call has it
};

}  // namespace holdfast::kit
