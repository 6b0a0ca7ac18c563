// engines/zookeeper/ears.h - who wants to know of what happens to a path.
//
// ZooKeeper's watches fire once. The library remembers each by function and context;
// here the context is a hash of path and sort, so that arming a watch that is armed
// changes nothing, and one that nobody waits for any more costs nothing.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/mutex.h"

namespace holdfast::zookeeper {

enum class Change : std::uint8_t { data, children };  // of a node; data: also its end

// Runs on the library's thread: returns at once, and calls nothing that waits.
class WatchListener {
 public:
  virtual ~WatchListener() = default;

  // The watch has fired, and is no more. `gone`: and so is the node.
  virtual void on_event(bool gone) noexcept = 0;

  virtual void on_missed() noexcept = 0;  // something may have been missed
};

struct WatchTarget {
  std::string path;
  Change change = Change::data;
};

class WatchHandle;

// Knows which watches there are. Safe for concurrent use.
class WatchRegistry {
 public:
  using Key = std::uint64_t;
  static Key key(std::string_view path, Change change) noexcept;
  static Key key(const WatchTarget& target) noexcept {
    return key(target.path, target.change);
  }

  void on_event(Key key, std::string_view path, bool gone) noexcept;
  void on_missed() noexcept;  // everybody

 private:
  friend class WatchHandle;
  base::Mutex mutex_;
  std::unordered_multimap<Key, const WatchHandle*> all_ HOLDFAST_GUARDED_BY(mutex_);
};

// Until it is destroyed, the listener is told of events. The target need not be watched
// at the server yet.
class WatchHandle {
 public:
  WatchHandle(WatchRegistry& watches, WatchTarget target,
              std::weak_ptr<WatchListener> listener);
  ~WatchHandle();
  WatchHandle(const WatchHandle&) = delete;
  WatchHandle& operator=(const WatchHandle&) = delete;

 private:
  friend class WatchRegistry;
  WatchRegistry& watches_;
  const WatchTarget target_;
  const WatchRegistry::Key key_;
  const std::weak_ptr<WatchListener> listener_;
};

}  // namespace holdfast::zookeeper
