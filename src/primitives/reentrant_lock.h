// primitives/reentrant_lock.h - a lock that belongs to a thread, which may enter it
// again.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>

#include "base/mutex.h"
#include "core/client_state.h"
#include "primitives/lease_slot.h"
#include "primitives/light_lock.h"

namespace holdfast::primitives {

// One for all RecursiveMutex objects of one name and client. Their leases may differ,
// so a hold is light or a lease as the object says that locked first. Entering again is
// an atomic operation. Safe for concurrent use.
class ReentrantLock final : public core::Companion {
 public:
  explicit ReentrantLock(const core::BoundPtr& bound);

  const core::BoundPtr& bound() const noexcept { return slot_.bound(); }

  // One level more or less for the thread that is inside and stays inside. False:
  // nothing was done; use `enter` or `leave`.
  bool enter_again() noexcept;
  bool leave_again() noexcept;

  Result<void> enter(const core::AcquireRequest& request);
  Result<void> leave(core::Confirm confirm) noexcept;

  // Of the calling thread.
  std::size_t depth() const noexcept;
  FencingToken token() const noexcept;
  std::stop_token lost() noexcept;

  bool idle() const noexcept override;

 private:
  // owner << 24 | light << 23 | depth. Zero: no thread is inside.
  using Word = std::uint64_t;
  static constexpr int kOwnerShift = 24;
  static constexpr Word kLight = Word{1} << 23;
  static constexpr Word kDepth = kLight - 1;

  static bool mine(Word word) noexcept;
  bool intact(Word word) const noexcept;
  void settle(Word kind) noexcept;
  Result<void> give_up(Word word, core::Confirm confirm) noexcept;

  LightLock light_;
  LeaseSlot slot_;
  std::atomic<Word> word_{0};

  // Threads whose hold was lost and taken by another before they left: what their word
  // was, without the owner.
  mutable base::Mutex mutex_;
  std::map<Word, Word> displaced_ HOLDFAST_GUARDED_BY(mutex_);
};

}  // namespace holdfast::primitives
