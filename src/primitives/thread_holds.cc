#include "primitives/thread_holds.h"

#include <utility>

#include "primitives/thread_id.h"

namespace holdfast::primitives {

using engine::Mode;

// Only the thread itself changes its entry; the mutex guards the map.
Result<void> ThreadHolds::enter(const core::Want& want) {
  core::Hub& hub = bound_->hub();
  if (!hub.usable()) return hub.why_unusable();
  {
    base::MutexLock lock(mutex_);
    const auto found = threads_.find(this_thread());
    if (found != threads_.end()) {
      Levels& mine = found->second;
      if (!mine.grip->intact()) {
        return Failure(Errc::not_held,
                       "the hold was lost; unlock every level of it first");
      }
      if (want.mode == Mode::exclusive && mine.writes == 0) {
        return Failure(Errc::would_deadlock,
                       "a reader of \"" + std::string(bound_->name()) +
                           "\" cannot become its writer: unlock the shared side first");
      }
      ++mine.of(want.mode);
      return {};
    }
  }
  auto grip = core::Grip::take(nullptr, bound_, want);
  if (!grip) return std::move(grip).error();
  base::MutexLock lock(mutex_);
  Levels& mine = threads_[this_thread()];
  mine.grip = *std::move(grip);
  ++mine.of(want.mode);
  return {};
}

Result<void> ThreadHolds::leave(Mode mode) noexcept {
  if (bound_->hub().forked()) return Errc::forked;
  std::shared_ptr<core::Grip> grip;
  bool over = false;
  {
    base::MutexLock lock(mutex_);
    const auto found = threads_.find(this_thread());
    if (found == threads_.end() || found->second.of(mode) == 0) return Errc::not_owner;
    Levels& mine = found->second;
    if (--mine.of(mode) > 0) return {};
    over = mine.writes + mine.reads == 0;
    if (!over && mode == Mode::shared) return {};
    grip = mine.grip;
    if (over) threads_.erase(found);
  }
  if (over) return grip->release();
  engine::Claim reader = grip->claim();
  reader.mode = Mode::shared;
  return grip->amend(reader);
}

std::shared_ptr<core::Grip> ThreadHolds::grip() const noexcept {
  base::MutexLock lock(mutex_);
  const auto found = threads_.find(this_thread());
  return found != threads_.end() ? found->second.grip : nullptr;
}

bool ThreadHolds::idle() const noexcept {
  base::MutexLock lock(mutex_);
  return threads_.empty();
}

}  // namespace holdfast::primitives
