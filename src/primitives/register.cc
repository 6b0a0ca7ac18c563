// SPDX-License-Identifier: Apache-2.0

#include "primitives/register.h"

#include <string>

#include "core/retry.h"

namespace holdfast::primitives {

using core::call_with_retry;
using engine::Deadline;
using engine::Exchanged;
using engine::Value;

namespace {

// Once an answer was lost, only an answer ends the doubt: a later attempt that could
// not even be sent tells nothing about the first one.
template <class T, class F>
Result<T> change(const core::BoundResource& bound, F&& call) {
  bool doubtful = false;
  auto answer = call_with_retry<T>(bound, [&](Deadline until) {
    Result<T> one = call(until);
    if (!one && one.error().code == Errc::outcome_unknown) doubtful = true;
    return one;
  });
  if (answer || !doubtful) return answer;
  return unknown_outcome(bound, answer.error());
}

}  // namespace

Failure unknown_outcome(const core::BoundResource& bound, const Failure& why) {
  return {Errc::outcome_unknown, "\"" + std::string(bound.name()) +
                                     "\" may have been changed: the answer was lost (" +
                                     why.message() +
                                     "); read it before you repeat the call"};
}

Result<Value> load(const core::BoundResource& bound) {
  return call_with_retry<Value>(
      bound, [&](Deadline until) { return bound.resource().load(until); });
}

Result<Value> add(const core::BoundResource& bound, std::int64_t by) {
  const auto ticket = bound.client().next_ticket();
  return change<Value>(
      bound, [&](Deadline until) { return bound.resource().add(by, ticket, until); });
}

Result<Exchanged> exchange(const core::BoundResource& bound, const Value& from,
                           std::optional<std::int64_t> to) {
  const auto ticket = bound.client().next_ticket();
  return change<Exchanged>(bound, [&](Deadline until) {
    return bound.resource().exchange(from, to, ticket, until);
  });
}

}  // namespace holdfast::primitives
