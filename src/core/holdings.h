// core/holdings.h - everything that a closing client takes back.

#pragma once

#include <vector>

#include "base/mutex.h"
#include "core/bound.h"

namespace holdfast::core {

// Something that may have a grant.
class Holding {
 public:
  // Takes the grant away and adds its claim to `claims`, to be dropped. Must not block
  // and must not call back into the core: a mutex of the client is locked.
  virtual void revoke(std::vector<BoundClaim>& claims) noexcept = 0;

 protected:
  Holding() = default;
  ~Holding() = default;
  Holding(const Holding&) = delete;
  Holding& operator=(const Holding&) = delete;

 private:
  friend class Holdings;
  Holding* next_ = nullptr;
  Holding* previous_ = nullptr;
};

// A list through its members, so that entering it allocates nothing. Safe for
// concurrent use.
class Holdings {
 public:
  void add(Holding& holding) noexcept;
  void remove(Holding& holding) noexcept;
  std::vector<BoundClaim> revoke_all() noexcept;

 private:
  base::Mutex mutex_;
  Holding* first_ HOLDFAST_GUARDED_BY(mutex_) = nullptr;
};

}  // namespace holdfast::core
