// SPDX-License-Identifier: Apache-2.0

#include "primitives/reentrant_lock.h"

#include <utility>

#include "base/common_failures.h"

namespace holdfast::primitives {

ReentrantLock::ReentrantLock(const core::BoundResourcePtr& bound)
    : light_(bound), slot_(bound) {}

bool ReentrantLock::owned(Word word, Owner owner) noexcept {
  return word >> kOwnerShift == owner;
}

bool ReentrantLock::intact(Word word) const noexcept {
  return (word & kLight) != 0 ? light_.intact() : slot_.intact();
}

bool ReentrantLock::enter_again(Owner owner) noexcept {
  Word word = word_.load(std::memory_order_relaxed);
  if (!owned(word, owner) || (word & kDepth) == kDepth || !intact(word)) return false;
  return word_.compare_exchange_strong(word, word + 1);
}

bool ReentrantLock::leave_again(Owner owner) noexcept {
  Word word = word_.load(std::memory_order_relaxed);
  if (!owned(word, owner) || (word & kDepth) < 2) return false;
  return word_.compare_exchange_strong(word, word - 1);
}

Result<void> ReentrantLock::enter(Owner owner, const core::AcquireRequest& request) {
  if (auto outcome = try_enter(owner)) return *std::move(outcome);
  return settle(owner, core::acquire(bound(), request), request.lease);
}

std::optional<Result<void>> ReentrantLock::try_enter(Owner owner) {
  if (enter_again(owner)) return Result<void>();
  core::ClientState& client = bound()->client();
  if (!client.usable()) return Result<void>(client.why_unusable(bound()->name()));
  const Word word = word_.load();
  if (owned(word, owner) && (word & kDepth) == kDepth) {
    return Result<void>(Failure(
        Errc::full, "this thread has entered " + base::in_quotes(bound()->name()) +
                        " too often: unlock it as often as you lock it"));
  }
  if (depth(owner) > 0) {
    return Result<void>(base::lost_and_not_left(base::in_quotes(bound()->name())));
  }
  return std::nullopt;
}

Result<void> ReentrantLock::settle(Owner owner, const Result<core::LeaseStart>& start,
                                   const LeaseOptions& lease) {
  const bool light = LightLock::fits(*bound(), lease);
  auto taken = light ? light_.adopt(start) : slot_.adopt(start, lease);
  if (taken) go_in(owner, light ? kLight : 0);
  return taken;
}

void ReentrantLock::go_in(Owner owner, Word kind) noexcept {
  const Word inside = owner << kOwnerShift | kind | 1;
  Word before = 0;
  if (word_.compare_exchange_strong(before, inside)) [[likely]]
    return;
  // The word still names a thread that has lost its hold and has not left yet.
  base::MutexLock lock(mutex_);
  before = word_.exchange(inside);
  if (before != 0) displaced_[before >> kOwnerShift] = before & (kLight | kDepth);
}

Result<void> ReentrantLock::give_up(Word word, core::Confirm confirm) noexcept {
  return (word & kLight) != 0 ? light_.give_up(confirm) : slot_.give_up(confirm);
}

Result<void> ReentrantLock::leave(Owner owner, core::Confirm confirm) noexcept {
  if (bound()->client().forked()) return Errc::forked;
  if (leave_again(owner)) return {};
  if (Word word = word_.load(); owned(word, owner)) {
    if (word_.compare_exchange_strong(word, 0)) return give_up(word, confirm);
  }
  // The owner does not hold the lock, or its hold was displaced. A displaced hold
  // still counts in the light lock or the slot, so it has to be given up there.
  Word left = 0;
  {
    base::MutexLock lock(mutex_);
    const auto found = displaced_.find(owner);
    if (found == displaced_.end()) return Errc::not_owner;
    left = --found->second;
    if ((left & kDepth) > 0) return Errc::not_held;
    displaced_.erase(found);
  }
  (void)give_up(left, confirm);
  return Errc::not_held;
}

std::size_t ReentrantLock::depth(Owner owner) const noexcept {
  if (bound()->client().forked()) return 0;
  const Word word = word_.load(std::memory_order_relaxed);
  if (owned(word, owner)) return word & kDepth;
  base::MutexLock lock(mutex_);
  const auto found = displaced_.find(owner);
  return found != displaced_.end() ? found->second & kDepth : 0;
}

FencingToken ReentrantLock::token(Owner owner) const noexcept {
  const Word word = word_.load();
  if (!owned(word, owner)) return {};
  return (word & kLight) != 0 ? light_.token() : slot_.token();
}

std::stop_token ReentrantLock::lost(Owner owner) noexcept {
  const Word word = word_.load();
  if (!owned(word, owner)) return core::already_lost();
  return (word & kLight) != 0 ? light_.lost() : slot_.lost();
}

bool ReentrantLock::idle() const noexcept {
  base::MutexLock lock(mutex_);
  return word_.load() == 0 && displaced_.empty();
}

}  // namespace holdfast::primitives
