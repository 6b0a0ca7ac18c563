// SPDX-License-Identifier: Apache-2.0

// core/renewal_call.h - one call to the engine that renews leases.
//
//   gather -> ask -> settle
//
// The schedule is locked while the call is made of it and while it learns the answer,
// and not while the engine is asked.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/bound_resource.h"
#include "core/renewal_schedule.h"
#include "holdfast/engine/session.h"

namespace holdfast::core {

// The class is not safe for concurrent use.
class RenewalCall {
 public:
  using Time = Clock::time_point;
  using Id = RenewalSchedule::Id;

  explicit RenewalCall(const RenewalSchedule::Call& plan) : plan_(plan) {}
  RenewalCall(const RenewalCall&) = delete;
  RenewalCall& operator=(const RenewalCall&) = delete;

  // Takes the claims of the plan that still have to be renewed. If the call waited for
  // a worker until its answer was overdue, the schedule has put them into another one.
  void gather(RenewalSchedule& schedule, engine::LeaseTime ttl, Time now);

  // Returns whether there is something to ask. A plan without claims keeps the session
  // alive.
  bool is_needed() const noexcept { return !renewals_.empty() || plan_.ids.empty(); }

  void ask(engine::Session& session);

  // Tells the schedule what the engine answered.
  void settle(RenewalSchedule& schedule) noexcept;

  // What came of it, after `settle`.
  bool answered() const noexcept { return answered_; }
  Time ended() const noexcept { return ended_; }
  const std::vector<Id>& gone() const noexcept { return gone_; }  // to be lost
  std::size_t renewed() const noexcept { return renewed_; }

  // The least time that was left to a lease when it was renewed.
  engine::LeaseTime slack() const noexcept { return slack_; }

  bool failed() const noexcept { return last_error_.has_value(); }
  std::string explain() const;  // REQUIRES: failed()

 private:
  struct Renewal {
    Id id;
    BoundClaim claim;  // as it is to be renewed
    std::uint16_t changes;
  };

  void settle(RenewalSchedule& schedule, const Renewal& renewal,
              const engine::ClaimRef& ref) noexcept;
  void note_failure(const Renewal& renewal) noexcept;

  const RenewalSchedule::Call& plan_;
  std::vector<Renewal> renewals_;
  std::vector<engine::ClaimRef> refs_;
  Time sent_{};
  Time ended_{};
  bool answered_ = false;
  std::vector<Id> gone_;
  std::size_t renewed_ = 0;
  engine::LeaseTime slack_ = engine::LeaseTime::max();
  std::size_t failures_ = 0;
  std::string_view failed_name_{};  // of one of them
  std::optional<Failure> last_error_;
};

}  // namespace holdfast::core
