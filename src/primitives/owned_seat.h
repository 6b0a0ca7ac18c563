// primitives/owned_seat.h - a seat that belongs to a thread, which may enter it again.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>

#include "base/mutex.h"
#include "core/hub.h"
#include "core/seat.h"

namespace holdfast::primitives {

// One for all RecursiveMutex objects of one name and client. Entering again is an
// atomic operation. Safe for concurrent use.
class OwnedSeat final : public core::Companion {
 public:
  explicit OwnedSeat(core::BoundPtr bound);

  const core::BoundPtr& bound() const noexcept { return seat_.bound(); }

  // One level more or less for the thread that is inside and stays inside. False:
  // nothing was done; use `enter` or `leave`.
  bool enter_again() noexcept;
  bool leave_again() noexcept;

  Result<void> enter(const core::Want& want);
  Result<void> leave(core::Confirm confirm) noexcept;

  // Of the calling thread.
  std::size_t depth() const noexcept;
  FencingToken token() const noexcept;
  std::stop_token lost() const noexcept;

  bool idle() const noexcept override;

 private:
  // owner << 24 | depth. Zero: nobody.
  using Word = std::uint64_t;
  static constexpr int kOwnerShift = 24;
  static constexpr Word kDepth = (Word{1} << kOwnerShift) - 1;

  bool mine(Word word) const noexcept;
  void settle() noexcept;

  core::Seat seat_;
  std::atomic<Word> word_{0};

  // Threads whose hold was lost and taken by another before they left: their depths.
  mutable base::Mutex mutex_;
  std::map<Word, Word> displaced_ HOLDFAST_GUARDED_BY(mutex_);
};

}  // namespace holdfast::primitives
