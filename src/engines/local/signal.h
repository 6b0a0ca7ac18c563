// engines/local/signal.h - what a thread sleeps on: a word in the segment, so that the
// process that releases a lock wakes the thread directly.

#pragma once

#include <memory>

#include "engines/local/process_slot.h"

namespace holdfast::local {

class LocalSignal final : public engine::Signal {
 public:
  LocalSignal(const std::shared_ptr<ProcessSlot>& process, BlockIndex cell) noexcept;
  ~LocalSignal() override;

  void ring() noexcept override;
  void wait(engine::Deadline until) noexcept override;

  BlockIndex cell() const noexcept { return cell_; }

 private:
  // A thread may keep its signal long after the client is gone. The signal needs the
  // mapping, but it must not keep the session alive.
  std::shared_ptr<Segment> segment_;
  std::weak_ptr<ProcessSlot> process_;
  BlockIndex cell_;
};

// Returns the cell to ring for `waker`, or 0 if it is not one of the segment's signals
// and the liveness thread must ring it.
inline BlockIndex signal_cell_of(const engine::Waker& waker) noexcept {
  const auto* ours = dynamic_cast<const LocalSignal*>(waker.get());
  return ours != nullptr ? ours->cell() : 0;
}

}  // namespace holdfast::local
