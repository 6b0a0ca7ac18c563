// SPDX-License-Identifier: Apache-2.0

#include "primitives/thread_claims.h"

#include <utility>

#include "base/common_failures.h"
#include "primitives/thread_id.h"

namespace holdfast::primitives {

using engine::Mode;

// Only the thread itself changes its entry; the mutex guards the map.
Result<void> ThreadClaims::enter(const core::AcquireRequest& request) {
  core::ClientState& client = bound_->client();
  if (!client.usable()) return client.why_unusable(bound_->name());
  {
    base::MutexLock lock(mutex_);
    const auto found = threads_.find(this_thread());
    if (found != threads_.end()) {
      Levels& mine = found->second;
      if (!mine.lease->intact()) {
        return base::lost_and_not_left(base::in_quotes(bound_->name()));
      }
      if (request.mode == Mode::exclusive && mine.writes == 0) {
        return base::reader_cannot_write(base::in_quotes(bound_->name()),
                                         Errc::would_deadlock);
      }
      ++mine.of(request.mode);
      return {};
    }
  }
  auto lease = core::Lease::take(nullptr, bound_, request);
  if (!lease) return std::move(lease).error();
  base::MutexLock lock(mutex_);
  Levels& mine = threads_[this_thread()];
  mine.lease = *std::move(lease);
  ++mine.of(request.mode);
  return {};
}

Result<void> ThreadClaims::leave(Mode mode) noexcept {
  if (bound_->client().forked()) return Errc::forked;
  std::shared_ptr<core::Lease> lease;
  bool over = false;
  {
    base::MutexLock lock(mutex_);
    const auto found = threads_.find(this_thread());
    if (found == threads_.end() || found->second.of(mode) == 0) return Errc::not_owner;
    Levels& mine = found->second;
    if (--mine.of(mode) > 0) return {};
    over = mine.writes + mine.reads == 0;
    if (!over && mode == Mode::shared) return {};
    lease = mine.lease;
    if (over) threads_.erase(found);
  }
  if (over) return lease->release();
  // The thread has left the write side and still reads.
  engine::Claim reader = lease->claim();
  reader.mode = Mode::shared;
  return lease->amend(reader);
}

std::shared_ptr<core::Lease> ThreadClaims::lease() const noexcept {
  base::MutexLock lock(mutex_);
  const auto found = threads_.find(this_thread());
  return found != threads_.end() ? found->second.lease : nullptr;
}

bool ThreadClaims::idle() const noexcept {
  base::MutexLock lock(mutex_);
  return threads_.empty();
}

}  // namespace holdfast::primitives
