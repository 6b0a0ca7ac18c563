// SPDX-License-Identifier: Apache-2.0

#include "core/retry.h"

#include <utility>

namespace holdfast::core {

Result<void> keep_calling(const BoundResource& bound, const Failure& why,
                          const std::function<Result<void>(engine::Deadline)>& call) {
  WaitLoop loop(bound, Timeout::forever(), nullptr);
  loop.start();
  if (auto over = loop.note_failure(why)) return *std::move(over);
  return loop.run(WaitLoop::First::with_waker,
                  [&](const engine::Waker&) -> Result<WaitLoop::Pause> {
                    auto answer = call(loop.call_deadline(Clock::now()));
                    if (!answer) return std::move(answer).error();
                    return WaitLoop::Pause();
                  });
}

}  // namespace holdfast::core
