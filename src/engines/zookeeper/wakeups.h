// engines/zookeeper/wakeups.h - who wants to know of what happens to a path.
//
// ZooKeeper's watches fire once. The library remembers each by function and context;
// here the context is a hash of path and sort, so that arming a watch that is armed
// changes nothing, and one that nobody waits for any more costs nothing.

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "holdfast/engine/claim.h"

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

// Listens on some paths, and remembers that something happened to one of them.
class WatchSet final : public WatchListener {
 public:
  // Rings both, either of which may be null.
  static std::shared_ptr<WatchSet> make(WatchRegistry& watches,
                                        std::vector<WatchTarget> targets,
                                        engine::Waker first,
                                        engine::Waker second = nullptr);

  // Nothing was heard, and nothing can have been missed.
  bool quiet() const noexcept { return !fired_.load(); }
  bool gone() const noexcept { return gone_.load(); }  // the node, as was heard

  void on_event(bool gone) noexcept override;
  void on_missed() noexcept override;

 private:
  WatchSet(engine::Waker first, engine::Waker second) noexcept
      : first_(std::move(first)), second_(std::move(second)) {}
  void ring() const noexcept;

  const engine::Waker first_;
  const engine::Waker second_;
  std::atomic<bool> fired_{false};
  std::atomic<bool> gone_{false};
  std::vector<std::unique_ptr<WatchHandle>> handles_;
};

}  // namespace holdfast::zookeeper
