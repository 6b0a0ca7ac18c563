// SPDX-License-Identifier: Apache-2.0

// engines/local/wakeups.h - what wakes a waiter: the signal that its thread sleeps on,
// and a watch on a name.

#pragma once

#include <chrono>
#include <memory>

#include "engines/local/bound_record.h"

namespace holdfast::local {

// This bounds the sleep of a waiter, in case that the process that should wake it was
// killed just before.
inline constexpr auto kRetry = std::chrono::seconds(5);

// There may be very many tasks that wait, and the liveness thread looks at each of
// their claims before this.
inline constexpr auto kTaskRetry = std::chrono::minutes(1);

// A signal is a word in the segment, so that the process that releases a lock wakes the
// waiting thread directly.
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

// Rings `waker` at every change of the record until the watch is dropped.
Result<engine::Watch> watch_record(BoundRecord& record, const engine::Waker& waker,
                                   engine::Deadline until);

}  // namespace holdfast::local
