// SPDX-License-Identifier: Apache-2.0

#include "primitives/register.h"

#include <string>

#include "core/client_state.h"

namespace holdfast::primitives {

using core::BoundResource;
using engine::Deadline;
using engine::Exchanged;
using engine::Ticket;
using engine::Value;

Failure unknown_outcome(const BoundResource& bound, const Failure& why) {
  return {Errc::outcome_unknown, "\"" + std::string(bound.name()) +
                                     "\" may have been changed: the answer was lost (" +
                                     why.message() +
                                     "); read it before you repeat the call"};
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
