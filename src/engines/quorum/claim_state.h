// SPDX-License-Identifier: Apache-2.0

// engines/quorum/claim_state.h - what this client knows of one claim.

#pragma once

#include <chrono>
#include <memory>

#include "engines/quorum/proposal.h"
#include "engines/quorum/wakeups.h"

namespace holdfast::quorum {

// A ClaimState is the state of one claim from its first attempt until it is dropped.
// The claim does not wait in any node's queue: two claims that were first in the queues
// of different nodes would wait for each other.
struct ClaimState {
  ClaimState() = default;
  ClaimState(ClaimState&&) = default;
  ~ClaimState() { stop_waking(); }
  void stop_waking() noexcept {
    if (majority_waker != nullptr) majority_waker->close();
    majority_waker.reset();
  }

  std::shared_ptr<Proposal> proposal;             // null means that no node has it
  std::shared_ptr<MajorityWaker> majority_waker;  // null means that it does not wait
  std::chrono::nanoseconds pause{};               // after the last split vote
};

}  // namespace holdfast::quorum
