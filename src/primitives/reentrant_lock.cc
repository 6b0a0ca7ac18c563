// SPDX-License-Identifier: Apache-2.0

#include "primitives/reentrant_lock.h"

#include <utility>

#include "base/common_failures.h"
#include "primitives/thread_id.h"

namespace holdfast::primitives {

ReentrantLock::ReentrantLock(const core::BoundResourcePtr& bound)
    : light_(bound), slot_(bound) {}

bool ReentrantLock::mine(Word word) noexcept {
  return word >> kOwnerShift == this_thread();
}

bool ReentrantLock::intact(Word word) const noexcept {
  return (word & kLight) != 0 ? light_.intact() : slot_.intact();
}

bool ReentrantLock::enter_again() noexcept {
  Word word = word_.load(std::memory_order_relaxed);
  if (!mine(word) || (word & kDepth) == kDepth || !intact(word)) return false;
  return word_.compare_exchange_strong(word, word + 1);
}

bool ReentrantLock::leave_again() noexcept {
  Word word = word_.load(std::memory_order_relaxed);
  if (!mine(word) || (word & kDepth) < 2) return false;
  return word_.compare_exchange_strong(word, word - 1);
}

Result<void> ReentrantLock::enter(const core::AcquireRequest& request) {
  if (enter_again()) return {};
  core::ClientState& client = bound()->client();
  if (!client.usable()) return client.why_unusable();
  const Word word = word_.load();
  if (mine(word) && (word & kDepth) == kDepth) {
    return Failure(Errc::full, "this thread has entered " +
                                   base::in_quotes(bound()->name()) +
                                   " too often: unlock it as often as you lock it");
  }
  if (depth() > 0) {
    return base::lost_and_not_left(base::in_quotes(bound()->name()));
  }
  const bool light = LightLock::fits(*bound(), request.lease);
  auto taken = light ? light_.take(request) : slot_.take(request);
  if (taken) settle(light ? kLight : 0);
  return taken;
}

void ReentrantLock::settle(Word kind) noexcept {
  const Word inside = this_thread() << kOwnerShift | kind | 1;
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

Result<void> ReentrantLock::leave(core::Confirm confirm) noexcept {
  if (bound()->client().forked()) return Errc::forked;
  if (leave_again()) return {};
  if (Word word = word_.load(); mine(word)) {
    if (word_.compare_exchange_strong(word, 0)) return give_up(word, confirm);
  }
  // This thread does not hold the lock, or its hold was displaced. A displaced hold
  // still counts in the light lock or the slot, so it has to be given up there.
  Word left = 0;
  {
    base::MutexLock lock(mutex_);
    const auto found = displaced_.find(this_thread());
    if (found == displaced_.end()) return Errc::not_owner;
    left = --found->second;
    if ((left & kDepth) > 0) return Errc::not_held;
    displaced_.erase(found);
  }
  (void)give_up(left, confirm);
  return Errc::not_held;
}

std::size_t ReentrantLock::depth() const noexcept {
  if (bound()->client().forked()) return 0;
  const Word word = word_.load(std::memory_order_relaxed);
  if (mine(word)) return word & kDepth;
  base::MutexLock lock(mutex_);
  const auto found = displaced_.find(this_thread());
  return found != displaced_.end() ? found->second & kDepth : 0;
}

FencingToken ReentrantLock::token() const noexcept {
  const Word word = word_.load();
  if (!mine(word)) return {};
  return (word & kLight) != 0 ? light_.token() : slot_.token();
}

std::stop_token ReentrantLock::lost() noexcept {
  const Word word = word_.load();
  if (!mine(word)) return core::already_lost();
  return (word & kLight) != 0 ? light_.lost() : slot_.lost();
}

bool ReentrantLock::idle() const noexcept {
  base::MutexLock lock(mutex_);
  return word_.load() == 0 && displaced_.empty();
}

}  // namespace holdfast::primitives
