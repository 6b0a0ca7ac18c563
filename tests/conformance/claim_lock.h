// SPDX-License-Identifier: Apache-2.0

// tests/conformance/claim_lock.h - a claim used as a lock, straight over the waist.
//
//   ClaimLock reader(client, {Kind::shared_mutex, "a"}, {.mode = Mode::shared});
//   auto token = reader.acquire({.wait = 100ms});
//
// It is for kinds whose primitives do not exist yet, and for what a primitive would
// hide. It has a wait loop of its own and no renewer: its lease is the session's and is
// not renewed.

#pragma once

#include <memory>

#include "conformance/exclusive.h"
#include "holdfast/client.h"
#include "holdfast/engine/session.h"

namespace holdfast::test {

// The tickets are unique in this process, and far from those that the core uses.
engine::Ticket next_ticket() noexcept;

// This is the deadline of a call that is expected to be answered.
engine::Deadline soon();

class ClaimLock : public Exclusive {
 public:
  // `like` gives everything but the ticket. Throws Error when the address is refused.
  ClaimLock(Client client, const engine::Address& address, engine::Claim like = {});
  ClaimLock(const ClaimLock&) = delete;
  ClaimLock& operator=(const ClaimLock&) = delete;
  ~ClaimLock() override;  // drops what is held

  Result<FencingToken> acquire(WaitOptions options = {}) override;
  Result<void> release() override;
  bool valid() const override { return held_; }

  // These are the steps of `acquire`, for tests that act between them. `begin` makes
  // the first attempt and returns whether it is granted; `again` repeats it with the
  // same ticket.
  bool begin();
  bool again();

  bool held() const noexcept { return held_; }
  const engine::Claim& claim() const noexcept { return claim_; }
  engine::Resource& resource() const noexcept { return *resource_; }

 private:
  Result<engine::Verdict> attempt(bool waits);

  Client client_;
  std::shared_ptr<engine::Resource> resource_;
  engine::Claim claim_;
  engine::Waker signal_;
  bool placed_ = false;
  bool held_ = false;
};

}  // namespace holdfast::test
