// SPDX-License-Identifier: Apache-2.0

// engines/etcd/keys_in_use.h - the keys of a lease that claims of this session use.

#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "base/mutex.h"

namespace holdfast::etcd {

// The keys of each lease are kept apart, because the end of one lease may be noticed
// late, when claims already use keys of the next one. The class is safe for
// concurrent use.
class KeysInUse {
 public:
  // Returns whether the caller may use the key. No two claims use a key at once, and
  // none uses it again after a request for it was not answered.
  bool take(std::int64_t lease, const std::string& key) {
    base::MutexLock lock(mutex_);
    return leases_[lease].insert(key).second;
  }

  void give_back(std::int64_t lease, const std::string& key) {
    base::MutexLock lock(mutex_);
    const auto found = leases_.find(lease);
    if (found == leases_.end()) return;
    found->second.erase(key);
    if (found->second.empty()) leases_.erase(found);
  }

  void lease_ended(std::int64_t lease) {
    base::MutexLock lock(mutex_);
    leases_.erase(lease);
  }

 private:
  base::Mutex mutex_;
  std::unordered_map<std::int64_t, std::unordered_set<std::string>> leases_
      HOLDFAST_GUARDED_BY(mutex_);
};

}  // namespace holdfast::etcd
