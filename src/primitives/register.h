// SPDX-License-Identifier: Apache-2.0

// primitives/register.h - reads and changes a register, and repeats unanswered calls.
//
//   const auto now = ask(*bound, Add(1));                              // blocks
//   core::retry_async<Value>(client, bound, Add(1), std::move(done));    // does not
//   ask(*bound, then(Load(), [](const Value& value) { return value.number; }));

#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "core/bound_resource.h"
#include "core/retry.h"

namespace holdfast::primitives {

// Returns the error for a change that was sent but not answered. `why` is the failure
// of the last attempt to get an answer.
Failure unknown_outcome(const core::BoundResource& bound, const Failure& why);

// Whether a change may have been made although no answer came. Once an answer was lost,
// only an answer ends the doubt: a later attempt that could not even be sent tells
// nothing about the first one.
class Doubt {
 public:
  template <class T>
  Result<T> note(Result<T> answer) {
    if (answer.has_value()) {
      open_ = false;
    } else if (answer.error().code == Errc::outcome_unknown) {
      open_ = true;
    }
    return answer;
  }
  Failure explain(const core::BoundResource& bound, const Failure& why) const {
    return open_ ? unknown_outcome(bound, why) : why;
  }

 private:
  bool open_ = false;
};

// A question to the engine: it is called with the resource and a deadline, again and
// again until it is answered. `explain` says why it was not. A change is applied once
// even if its answer is lost, because it is repeated under the same ticket.
// Errc::outcome_unknown means that the engine may have applied it, but no answer came.
class Load {
 public:
  using Answer = engine::Value;
  Result<Answer> operator()(const core::BoundResource& bound, engine::Deadline until) {
    return bound.resource().load(until);
  }
  Failure explain(const core::BoundResource&, const Failure& why) const { return why; }
};

class Add {
 public:
  using Answer = engine::Value;
  explicit Add(std::int64_t by) noexcept : by_(by) {}
  Result<Answer> operator()(const core::BoundResource& bound, engine::Deadline until);
  Failure explain(const core::BoundResource& bound, const Failure& why) const {
    return doubt_.explain(bound, why);
  }

 private:
  const std::int64_t by_;
  engine::Ticket ticket_ = engine::Ticket::none;
  Doubt doubt_;
};

class Exchange {
 public:
  using Answer = engine::Exchanged;
  Exchange(const engine::Value& from, std::optional<std::int64_t> to) noexcept
      : from_(from), to_(to) {}
  Result<Answer> operator()(const core::BoundResource& bound, engine::Deadline until);
  Failure explain(const core::BoundResource& bound, const Failure& why) const {
    return doubt_.explain(bound, why);
  }

  // Makes it another exchange, after it was answered.
  void restart(const engine::Value& from) noexcept {
    from_ = from;
    ticket_ = engine::Ticket::none;
  }

 private:
  engine::Value from_;
  const std::optional<std::int64_t> to_;
  engine::Ticket ticket_ = engine::Ticket::none;
  Doubt doubt_;
};

// A question whose answer is what `F` makes of the answer of `Ask`.
template <class Ask, class F>
class Then {
 public:
  using Answer = std::invoke_result_t<F&, const typename Ask::Answer&>;
  Then(Ask ask, F next) : ask_(std::move(ask)), next_(std::move(next)) {}
  Result<Answer> operator()(const core::BoundResource& bound, engine::Deadline until) {
    auto answer = ask_(bound, until);
    if (!answer.has_value()) return std::move(answer).error();
    return next_(*answer);
  }
  Failure explain(const core::BoundResource& bound, const Failure& why) const {
    return ask_.explain(bound, why);
  }

 private:
  Ask ask_;
  F next_;
};

template <class Ask, class F>
Then<Ask, F> then(Ask ask, F next) {
  return {std::move(ask), std::move(next)};
}

// Asks until there is an answer, as long as the client's RetryPolicy says.
template <class Ask>
Result<typename Ask::Answer> ask(const core::BoundResource& bound, Ask question) {
  auto answer = core::call_with_retry<typename Ask::Answer>(
      bound, [&](engine::Deadline until) { return question(bound, until); });
  if (answer.has_value()) return answer;
  return question.explain(bound, answer.error());
}

inline Result<engine::Value> load(const core::BoundResource& bound) {
  return ask(bound, Load());
}
inline Result<engine::Exchanged> exchange(const core::BoundResource& bound,
                                          const engine::Value& from,
                                          std::optional<std::int64_t> to) {
  return ask(bound, Exchange(from, to));
}

}  // namespace holdfast::primitives
