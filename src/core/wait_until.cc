// SPDX-License-Identifier: Apache-2.0

#include "core/wait_until.h"

#include <utility>

#include "core/retry.h"

namespace holdfast::core {

Result<void> wait_until(const BoundResource& bound, const WaitOptions& options,
                        const std::function<Result<bool>(engine::Deadline)>& look) {
  if (!bound.client().usable()) return bound.client().why_unusable();
  WaitLoop loop(bound, options.wait, &options.stop);
  engine::Watch watch{};
  // The watch is set before the look, so that no change between the two is missed.
  const auto poll_once = [&](const engine::Waker& waker) -> Result<WaitLoop::Pause> {
    if (waker != nullptr && watch.keep == nullptr) {
      auto made = bound.resource().watch(waker, loop.call_deadline(Clock::now()));
      if (!made) return std::move(made).error();
      watch = *std::move(made);
    }
    const auto so = look(loop.call_deadline(Clock::now()));
    if (!so.has_value()) return so.error();
    if (*so) return WaitLoop::Pause();
    return WaitLoop::Pause(watch.retry_after);
  };
  return loop.run(WaitLoop::First::bare, std::cref(poll_once));
}

Result<void> keep_calling(const BoundResource& bound, const Failure& why,
                          const std::function<Result<void>(engine::Deadline)>& call) {
  WaitLoop loop(bound, Timeout::forever(), nullptr);
  loop.start();
  if (auto over = loop.endure(why)) return *std::move(over);
  return loop.run(WaitLoop::First::with_waker,
                  [&](const engine::Waker&) -> Result<WaitLoop::Pause> {
                    auto answer = call(loop.call_deadline(Clock::now()));
                    if (!answer) return std::move(answer).error();
                    return WaitLoop::Pause();
                  });
}

}  // namespace holdfast::core
