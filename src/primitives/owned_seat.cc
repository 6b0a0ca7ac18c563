#include "primitives/owned_seat.h"

#include <utility>

#include "primitives/thread_id.h"

namespace holdfast::primitives {

OwnedSeat::OwnedSeat(core::BoundPtr bound) : seat_(std::move(bound)) {}

bool OwnedSeat::mine(Word word) const noexcept {
  return word >> kOwnerShift == this_thread();
}

bool OwnedSeat::enter_again() noexcept {
  Word word = word_.load(std::memory_order_relaxed);
  if (!mine(word) || (word & kDepth) == kDepth || !seat_.intact()) return false;
  return word_.compare_exchange_strong(word, word + 1);
}

bool OwnedSeat::leave_again() noexcept {
  Word word = word_.load(std::memory_order_relaxed);
  if (!mine(word) || (word & kDepth) < 2) return false;
  return word_.compare_exchange_strong(word, word - 1);
}

Result<void> OwnedSeat::enter(const core::Want& want) {
  if (enter_again()) return {};
  core::Hub& hub = seat_.bound()->hub();
  if (!hub.usable()) return hub.why_unusable();
  const Word word = word_.load();
  if (mine(word) && (word & kDepth) == kDepth) {
    return Failure(Errc::full, "the lock was entered too often");
  }
  if (depth() > 0) {
    return Failure(Errc::not_held, "the hold was lost; unlock every level of it first");
  }
  if (auto taken = seat_.take(want); !taken) return taken;
  settle();
  return {};
}

void OwnedSeat::settle() noexcept {
  const Word inside = this_thread() << kOwnerShift | 1;
  Word before = 0;
  if (word_.compare_exchange_strong(before, inside)) [[likely]]
    return;
  base::MutexLock lock(mutex_);
  before = word_.exchange(inside);
  if (before != 0) displaced_[before >> kOwnerShift] += before & kDepth;
}

Result<void> OwnedSeat::leave(core::Confirm confirm) noexcept {
  if (seat_.bound()->hub().forked()) return Errc::forked;
  if (leave_again()) return {};
  if (Word word = word_.load(); mine(word)) {
    if (word_.compare_exchange_strong(word, 0)) return seat_.give_up(confirm);
  }
  {
    base::MutexLock lock(mutex_);
    const auto found = displaced_.find(this_thread());
    if (found == displaced_.end()) return Errc::not_owner;
    if (--found->second > 0) return Errc::not_held;
    displaced_.erase(found);
  }
  (void)seat_.give_up(confirm);
  return Errc::not_held;
}

std::size_t OwnedSeat::depth() const noexcept {
  if (seat_.bound()->hub().forked()) return 0;
  const Word word = word_.load(std::memory_order_relaxed);
  if (mine(word)) return word & kDepth;
  base::MutexLock lock(mutex_);
  const auto found = displaced_.find(this_thread());
  return found != displaced_.end() ? found->second : 0;
}

FencingToken OwnedSeat::token() const noexcept {
  return mine(word_.load()) ? seat_.token() : FencingToken{};
}

std::stop_token OwnedSeat::lost() const noexcept {
  return mine(word_.load()) ? seat_.lost() : core::already_lost();
}

bool OwnedSeat::idle() const noexcept {
  base::MutexLock lock(mutex_);
  return word_.load() == 0 && displaced_.empty();
}

}  // namespace holdfast::primitives
