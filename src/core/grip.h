// core/grip.h - a granted claim in the core's hands.

#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <stop_token>

#include "core/acquire.h"
#include "core/holdings.h"
#include "core/keeper.h"
#include "core/tenure.h"
#include "holdfast/hold.h"

namespace holdfast::core {

// What a Hold points to. Releases when destroyed, unless the process was forked. The
// const members and `revoke` are safe for concurrent use.
class Grip final : public Holding {
 public:
  // Waits for the grant. `keep` may be null where the owner keeps the hub alive.
  static Result<std::shared_ptr<Grip>> take(std::shared_ptr<Hub> keep,
                                            const BoundPtr& bound, const Want& want);
  static Hold to_hold(std::shared_ptr<Grip> grip) noexcept {
    return Hold(std::move(grip));
  }

  Grip(std::shared_ptr<Hub> keep, const BoundPtr& bound, const Grant& grant,
       const LeaseOptions& lease);
  ~Grip();

  FencingToken token() const noexcept { return token_; }
  std::stop_token lost() const noexcept;
  std::chrono::nanoseconds valid_for() const noexcept;

  // Whether it is still good, as far as this process knows without asking.
  bool intact() const noexcept;

  // As the engine has it.
  engine::Claim claim() const noexcept { return tenure_.claim(); }

  // As Keeper::amend.
  Result<void> amend(const engine::Claim& wanted) noexcept;

  // Errc::not_held: it had been lost. Repeated: nothing happens.
  Result<void> release(Confirm confirm = Confirm::yes) noexcept;

  void revoke(std::vector<BoundClaim>& claims) noexcept override;

 private:
  enum class State : std::uint8_t { held, revoked, released };

  const BoundPtr& bound() const noexcept { return tenure_.bound(); }
  Hub& hub() const noexcept { return bound()->hub(); }
  void ensure_kept() const;
  bool pass_to_neighbour(const Keeper::Kept& kept) noexcept;

  const std::shared_ptr<Hub> keep_;
  const LeaseOptions lease_;
  const FencingToken token_;
  const Clock::time_point since_;  // of the first grant of this claim
  const std::uint32_t spare_tokens_;
  const bool one_token_;
  std::atomic<State> state_{State::held};
  mutable std::atomic<bool> kept_{false};  // the keeper knows the tenure
  mutable Tenure tenure_;
};

}  // namespace holdfast::core
