// engines/etcd/keys_in_use.h - which keys of a lease a claim of this session uses.

#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "base/mutex.h"

namespace holdfast::etcd {

// The keys of each lease are kept apart, because the end of one lease may be noticed
// late, when claims already use keys of the next one. Safe for concurrent use.
class KeysInUse {
 public:
  // Whether the key is the caller's to use: by no two claims at once, and never again
  // after a request about it was not answered.
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
