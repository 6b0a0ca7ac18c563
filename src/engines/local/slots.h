// engines/local/slots.h - gives a session its slot in a segment.

#pragma once

#include "engines/local/segment.h"
#include "holdfast/engine/session.h"

namespace holdfast::local {

// While an Entrance exists, no other session joins the segment. It notices that the
// host was restarted since the segment was last used: then every session in it has
// ended. If some of them live all the same, this process sees another boot id (as in a
// container) and is refused.
class [[nodiscard]] Entrance {
 public:
  static Result<Entrance> open(Segment& segment);
  Entrance(Entrance&& other) noexcept;
  Entrance& operator=(Entrance&&) = delete;
  ~Entrance();

  // Returns a free slot, filled in but not yet live. Errc::full means that there is
  // none.
  Result<SessionId> reserve(const engine::SessionOptions& options);

  // REQUIRES: the witness thread holds the slot's word.
  void admit(SessionId session) noexcept;

 private:
  explicit Entrance(Segment& segment) noexcept : segment_(&segment) {}
  Segment* segment_;
};

}  // namespace holdfast::local
