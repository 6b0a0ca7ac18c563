// SPDX-License-Identifier: Apache-2.0

// engines/zookeeper/wakeups.h - watches: which waiters are woken by what happens to a
// path.
//
// A ZooKeeper watch fires once. The library identifies a watch by its function and
// context. Our context is a hash of the path and of what is watched, so setting a watch
// twice changes nothing, and a watch without a waiter costs nothing.

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/mutex.h"
#include "holdfast/engine/claim.h"

namespace holdfast::zookeeper {

// What a watch tells of; `data` includes the end of the node.
enum class WatchFor : std::uint8_t { data, children };

struct WatchTarget {
  std::string path;
  WatchFor what = WatchFor::data;
};

class WatchSet;

// Knows which watches there are. The class is safe for concurrent use.
class WatchRegistry {
 public:
  using Key = std::uint64_t;
  static Key key(std::string_view path, WatchFor what) noexcept;
  static Key key(const WatchTarget& target) noexcept {
    return key(target.path, target.what);
  }

  // A watch has fired, and must be set again. `gone`: the node was deleted.
  void on_event(Key key, std::string_view path, bool gone) noexcept;
  void on_missed() noexcept;  // events may have been missed, of any path

 private:
  friend class WatchSet;
  struct Watched {
    WatchSet* set;
    const std::string* path;
  };
  base::Mutex mutex_;
  std::unordered_multimap<Key, Watched> all_ HOLDFAST_GUARDED_BY(mutex_);
};

// Listens for what happens to some paths until it is destroyed, and remembers whether
// anything did. The paths need not be watched at the server yet.
class WatchSet {
 public:
  // Rings both wakers, either of which may be null.
  static std::shared_ptr<WatchSet> make(WatchRegistry& registry,
                                        std::vector<WatchTarget> targets,
                                        engine::Waker first,
                                        engine::Waker second = nullptr);
  ~WatchSet();
  WatchSet(const WatchSet&) = delete;
  WatchSet& operator=(const WatchSet&) = delete;

  // Rings `waker` from now on, in the place of the first one. Returns whether nothing
  // has happened until now.
  bool arm(engine::Waker waker) noexcept;

  // Returns whether no watch has fired, and no event can have been missed.
  bool quiet() const noexcept { return !fired_.load(); }
  // Returns whether an event said that the node was deleted.
  bool gone() const noexcept { return gone_.load(); }

 private:
  friend class WatchRegistry;
  WatchSet(WatchRegistry& registry, std::vector<WatchTarget> targets,
           engine::Waker first, engine::Waker second) noexcept;
  void fire(bool gone) noexcept;  // under the mutex of the registry

  WatchRegistry& registry_;
  const std::vector<WatchTarget> targets_;
  engine::Waker first_;  // the mutex of the registry guards it
  const engine::Waker second_;
  std::atomic<bool> fired_{false};
  std::atomic<bool> gone_{false};
};

}  // namespace holdfast::zookeeper
