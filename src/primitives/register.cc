// SPDX-License-Identifier: Apache-2.0

#include "primitives/register.h"

#include "base/common_failures.h"
#include "core/client_state.h"

namespace holdfast::primitives {

using core::BoundResource;
using engine::Deadline;
using engine::Exchanged;
using engine::Ticket;
using engine::Value;

Failure unknown_outcome(const BoundResource& bound, const Failure& why) {
  return base::change_in_doubt(base::in_quotes(bound.name()), why.message());
}

Result<Value> Add::operator()(const BoundResource& bound, Deadline until) {
  if (ticket_ == Ticket::none) ticket_ = bound.client().next_ticket();
  return doubt_.note(bound.resource().add(by_, ticket_, until));
}

Result<Exchanged> Exchange::operator()(const BoundResource& bound, Deadline until) {
  if (ticket_ == Ticket::none) ticket_ = bound.client().next_ticket();
  return doubt_.note(bound.resource().exchange(from_, to_, ticket_, until));
}

}  // namespace holdfast::primitives
