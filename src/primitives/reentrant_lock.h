// SPDX-License-Identifier: Apache-2.0

// primitives/reentrant_lock.h - a lock that its owner may take again.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include "base/mutex.h"
#include "core/client_state.h"
#include "primitives/lease_slot.h"
#include "primitives/light_lock.h"

namespace holdfast::primitives {

// All RecursiveMutex objects of one name and client share one. Their lease options may
// differ, so the object that locks first decides whether the hold is light or a lease.
// To enter again costs an atomic operation. The class is safe for concurrent use.
class ReentrantLock final : public core::SharedState {
 public:
  explicit ReentrantLock(const core::BoundResourcePtr& bound);

  const core::BoundResourcePtr& bound() const noexcept { return slot_.bound(); }

  // The number of a thread or of another owner (primitives/thread_id.h). One thread at
  // a time acts for an owner.
  using Owner = std::uint64_t;

  // These add or remove one level for an owner that is inside and stays inside. If they
  // return false, nothing was done, and `enter` or `leave` has to be called.
  bool enter_again(Owner owner) noexcept;
  bool leave_again(Owner owner) noexcept;

  Result<void> enter(Owner owner, const core::AcquireRequest& request);
  Result<void> leave(Owner owner, core::Confirm confirm) noexcept;

  // The two halves of `enter`, around the wait for the engine. `try_enter` returns its
  // outcome, or nothing if the owner has to wait; `settle` is told what came of that.
  std::optional<Result<void>> try_enter(Owner owner);
  Result<void> settle(Owner owner, const Result<core::LeaseStart>& start,
                      const LeaseOptions& lease);

  std::size_t depth(Owner owner) const noexcept;
  FencingToken token(Owner owner) const noexcept;
  std::stop_token lost(Owner owner) noexcept;

  bool idle() const noexcept override;

 private:
  // The word is `owner << 24 | light << 23 | depth`. Zero means that it is free.
  using Word = std::uint64_t;
  static constexpr int kOwnerShift = 24;
  static constexpr Word kLight = Word{1} << 23;
  static constexpr Word kDepth = kLight - 1;

  static bool owned(Word word, Owner owner) noexcept;
  bool intact(Word word) const noexcept;
  void go_in(Owner owner, Word kind) noexcept;
  Result<void> give_up(Word word, core::Confirm confirm) noexcept;

  LightLock light_;
  LeaseSlot slot_;
  std::atomic<Word> word_{0};

  // The owners whose hold was lost, and whose lock another owner took before they
  // left. The value is their word without the owner.
  mutable base::Mutex mutex_;
  std::map<Word, Word> displaced_ HOLDFAST_GUARDED_BY(mutex_);
};

}  // namespace holdfast::primitives
