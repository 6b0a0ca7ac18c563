// engines/local/signal.h - what a thread sleeps on: a word in the segment, so that the
// process that releases a lock wakes the thread directly.

#pragma once

#include <memory>

#include "engines/local/member.h"

namespace holdfast::local {

class LocalSignal final : public engine::Signal {
 public:
  LocalSignal(const std::shared_ptr<Member>& member, Unit cell) noexcept;
  ~LocalSignal() override;

  void ring() noexcept override;
  void wait(engine::Deadline until) noexcept override;

  Unit cell() const noexcept { return cell_; }

 private:
  // A thread may keep its signal long after the client is gone. The signal needs the
  // mapping, but it must not keep the member alive.
  std::shared_ptr<Segment> segment_;
  std::weak_ptr<Member> member_;
  Unit cell_;
};

// Returns the cell to ring for `waker`, or 0 if it is not one of the segment's signals
// and the witness thread must ring it.
inline Unit bell_of(const engine::Waker& waker) noexcept {
  const auto* ours = dynamic_cast<const LocalSignal*>(waker.get());
  return ours != nullptr ? ours->cell() : 0;
}

}  // namespace holdfast::local
