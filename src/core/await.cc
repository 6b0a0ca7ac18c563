#include "core/await.h"

#include <utility>

#include "core/ask.h"

namespace holdfast::core {
namespace {

class Watcher final : WaitLoop {
 public:
  using Look = std::function<Result<bool>(engine::Deadline)>;

  Watcher(const Bound& bound, const AcquireOptions& options, const Look& look) noexcept
      : WaitLoop(bound, options.wait, &options.stop), bound_(bound), look_(look) {}

  Result<void> wait_until_so() { return run(false); }

 private:
  // The watch comes first, so that no change can slip between.
  Result<Pause> ask(const engine::Waker& waker) override {
    if (waker != nullptr && watch_.keep == nullptr) {
      auto watch = bound_.resource().watch(waker, call_deadline(Clock::now()));
      if (!watch) return std::move(watch).error();
      watch_ = *std::move(watch);
    }
    const auto so = look_(call_deadline(Clock::now()));
    if (!so.has_value()) return so.error();
    if (*so) return Pause();
    return Pause(watch_.retry_after);
  }

  const Bound& bound_;
  const Look& look_;
  engine::Watch watch_{};
};

class Repeater final : WaitLoop {
 public:
  using Call = std::function<Result<void>(engine::Deadline)>;

  Repeater(const Bound& bound, const Call& call) noexcept
      : WaitLoop(bound, Timeout::forever(), nullptr), call_(call) {}

  Result<void> repeat_after(const Failure& why) {
    start();
    if (auto over = endure(why)) return *std::move(over);
    constexpr bool kWithPauses = true;
    return run(kWithPauses);
  }

 private:
  Result<Pause> ask(const engine::Waker&) override {
    auto answer = call_(call_deadline(Clock::now()));
    if (!answer) return std::move(answer).error();
    return Pause();
  }

  const Call& call_;
};

}  // namespace

Result<void> await(const Bound& bound, const AcquireOptions& options,
                   const std::function<Result<bool>(engine::Deadline)>& look) {
  if (!bound.hub().usable()) return bound.hub().why_unusable();
  return Watcher(bound, options, look).wait_until_so();
}

Result<void> keep_asking(const Bound& bound, const Failure& why,
                         const std::function<Result<void>(engine::Deadline)>& call) {
  return Repeater(bound, call).repeat_after(why);
}

}  // namespace holdfast::core
