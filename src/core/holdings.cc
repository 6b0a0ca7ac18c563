#include "core/holdings.h"

namespace holdfast::core {

void Holdings::add(Holding& holding) noexcept {
  base::MutexLock lock(mutex_);
  holding.next_ = first_;
  if (first_ != nullptr) first_->previous_ = &holding;
  first_ = &holding;
}

void Holdings::remove(Holding& holding) noexcept {
  base::MutexLock lock(mutex_);
  if (holding.next_ != nullptr) holding.next_->previous_ = holding.previous_;
  if (holding.previous_ != nullptr) {
    holding.previous_->next_ = holding.next_;
  } else {
    first_ = holding.next_;
  }
}

std::vector<BoundClaim> Holdings::revoke_all() noexcept {
  std::vector<BoundClaim> claims;
  base::MutexLock lock(mutex_);
  for (Holding* each = first_; each != nullptr; each = each->next_) {
    each->revoke(claims);
  }
  return claims;
}

}  // namespace holdfast::core
