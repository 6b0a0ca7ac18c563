// SPDX-License-Identifier: Apache-2.0

// core/retry.h - repeats a call to the engine until it is answered.

#pragma once

#include <functional>
#include <utility>

#include "core/explain.h"
#include "core/wait_loop.h"

namespace holdfast::core {

// The slow path of `call_with_retry`, taken after the first call failed with `why`:
// `call` is repeated with pauses, as often as the client's RetryPolicy says.
Result<void> keep_calling(const BoundResource& bound, const Failure& why,
                          const std::function<Result<void>(engine::Deadline)>& call);

// `call(deadline)` returns a Result<T>. It must be idempotent, because it is repeated
// when its answer was lost.
template <class T, class F>
Result<T> call_with_retry(const BoundResource& bound, F&& call) {
  if (!bound.client().usable()) return bound.client().why_unusable(bound.name());
  Result<T> answer = call(bound.call_deadline());
  if (answer.has_value()) return answer;
  if (!base::is_transient(answer.error())) {
    return explain_wrong_kind(bound, answer.error());
  }
  auto asked =
      keep_calling(bound, answer.error(), [&](engine::Deadline until) -> Result<void> {
        answer = call(until);
        if (!answer.has_value()) return answer.error();
        return {};
      });
  if (!asked) return std::move(asked).error();
  return answer;
}

}  // namespace holdfast::core
