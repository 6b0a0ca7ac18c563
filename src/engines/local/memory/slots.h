// SPDX-License-Identifier: Apache-2.0

// engines/local/memory/slots.h - gives a session its slot in a segment.

#pragma once

#include "engines/local/memory/segment.h"
#include "holdfast/engine/session.h"

namespace holdfast::local {

// While a JoinLock exists, no other session joins the segment. It notices that the
// host was restarted since the segment was last used: then every session in it has
// ended. If some of them live all the same, this process sees another boot id (as in a
// container) and is refused.
class [[nodiscard]] JoinLock {
 public:
  static Result<JoinLock> take(Segment& segment);
  JoinLock(JoinLock&& other) noexcept;
  JoinLock& operator=(JoinLock&&) = delete;
  ~JoinLock();

  // Returns a free slot, filled in but not yet live. Errc::full means that there is
  // none.
  Result<SessionId> reserve(const engine::SessionOptions& options);

  // REQUIRES: the liveness thread holds the slot's word.
  void publish(SessionId session) noexcept;

 private:
  explicit JoinLock(Segment& segment) noexcept : segment_(&segment) {}
  Segment* segment_;
};

}  // namespace holdfast::local
