#include "primitives/register.h"

#include "core/ask.h"

namespace holdfast::primitives {

using core::ask_engine;
using engine::Deadline;
using engine::Exchanged;
using engine::Value;

Result<Value> load(const core::Bound& bound) {
  return ask_engine<Value>(
      bound, [&](Deadline until) { return bound.resource().load(until); });
}

Result<Value> add(const core::Bound& bound, std::int64_t by) {
  const auto ticket = bound.hub().next_ticket();
  return ask_engine<Value>(
      bound, [&](Deadline until) { return bound.resource().add(by, ticket, until); });
}

Result<Exchanged> exchange(const core::Bound& bound, const Value& from,
                           std::optional<std::int64_t> to) {
  const auto ticket = bound.hub().next_ticket();
  return ask_engine<Exchanged>(bound, [&](Deadline until) {
    return bound.resource().exchange(from, to, ticket, until);
  });
}

}  // namespace holdfast::primitives
