// engines/local/slots.h - taking one's place among the sessions of a segment.

#pragma once

#include "engines/local/segment.h"
#include "holdfast/engine/session.h"

namespace holdfast::local {

// While it exists, nobody else joins the segment. Notices that the host was restarted
// since the segment was last used: then every session in it has ended. If some live all
// the same, this process is mistaken about the boot (a container has its own boot id),
// and is refused.
class [[nodiscard]] Entrance {
 public:
  static Result<Entrance> open(Segment& segment);
  Entrance(Entrance&& other) noexcept;
  Entrance& operator=(Entrance&&) = delete;
  ~Entrance();

  // A slot nobody has, described but not yet live. Errc::full: there is none.
  Result<SessionId> reserve(const engine::SessionOptions& options);

  // REQUIRES: the slot's witness is held.
  void admit(SessionId session) noexcept;

 private:
  explicit Entrance(Segment& segment) noexcept : segment_(&segment) {}
  Segment* segment_;
};

}  // namespace holdfast::local
