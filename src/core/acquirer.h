// core/acquirer.h - one acquisition, from the first attempt to its end.

#pragma once

#include <optional>

#include "core/acquire.h"
#include "core/wait_loop.h"

namespace holdfast::core {

// Lives on the stack of `acquire`. Its claim either goes out with `acquire` or is given
// up.
class Acquirer final : WaitLoop {
 public:
  Acquirer(const BoundPtr& bound, const Want& want, const Terms& terms) noexcept
      : WaitLoop(*bound, want.wait, want.stop),
        bound_(bound),
        want_(want),
        terms_(terms) {}

  Result<Grant> acquire();

 private:
  Result<Grant> ask_safely();
  Result<Pause> ask(const engine::Waker& waker) override;
  bool accept(const engine::Granted& granted, Clock::time_point sent);
  Failure abandon(Failure why);

  const BoundPtr& bound_;
  const Want& want_;
  const Terms& terms_;
  engine::Claim claim_{};
  Grant grant_{};
  bool placed_ = false;  // the engine may know the claim
};

}  // namespace holdfast::core
