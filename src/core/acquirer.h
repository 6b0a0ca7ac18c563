// core/acquirer.h - one acquisition, from the first attempt to its end.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/acquire.h"
#include "core/gate.h"
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
  Result<Gate::Turn> enter();
  Result<Grant> ask_safely();
  void learn(Gate::Answer answer) noexcept;
  Result<Pause> ask(const engine::Waker& waker) override;
  void accept(const engine::Granted& granted, Clock::time_point sent);
  Failure refuse_late(engine::Lease lease);
  Failure abandon(Failure why);

  const BoundPtr& bound_;
  const Want& want_;
  const Terms& terms_;
  std::string payload_;  // what the claim says, if that is not the session's
  engine::Claim claim_{};
  Grant grant_{};
  bool placed_ = false;  // the engine may know the claim
  Gate* gate_ = nullptr;
  std::uint64_t turn_ = 0;  // of the gate
  Gate::Answer learnt_ = Gate::Answer::none;
};

}  // namespace holdfast::core
