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
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "holdfast/engine/claim.h"

namespace holdfast::zookeeper {

// What changed of a node; `data` includes its deletion.
enum class Change : std::uint8_t { data, children };

// It is called in the library's thread and under the mutex of the registry. So it must
// return at once, must not wait for anything, and must not make or destroy a
// WatchHandle.
class WatchListener {
 public:
  virtual ~WatchListener() = default;

  // The watch has fired, and must be set again. `gone`: the node was deleted.
  virtual void on_event(bool gone) noexcept = 0;

  virtual void on_missed() noexcept = 0;  // events may have been missed
};

struct WatchTarget {
  std::string path;
  Change change = Change::data;
};

class WatchHandle;

// Knows which watches there are. The class is safe for concurrent use.
class WatchRegistry {
 public:
  using Key = std::uint64_t;
  static Key key(std::string_view path, Change change) noexcept;
  static Key key(const WatchTarget& target) noexcept {
    return key(target.path, target.change);
  }

  void on_event(Key key, std::string_view path, bool gone) noexcept;
  void on_missed() noexcept;  // tells all listeners

 private:
  friend class WatchHandle;
  base::Mutex mutex_;
  std::unordered_multimap<Key, const WatchHandle*> all_ HOLDFAST_GUARDED_BY(mutex_);
};

// The listener is told of events until the handle is destroyed, and not after that. The
// target need not be watched at the server yet.
class WatchHandle {
 public:
  WatchHandle(WatchRegistry& watches, WatchTarget target, WatchListener& listener);
  ~WatchHandle();
  WatchHandle(const WatchHandle&) = delete;
  WatchHandle& operator=(const WatchHandle&) = delete;

 private:
  friend class WatchRegistry;
  WatchRegistry& watches_;
  const WatchTarget target_;
  const WatchRegistry::Key key_;
  WatchListener& listener_;
};

// Watches some paths, and remembers whether anything happened to one of them.
class WatchSet final : public WatchListener {
 public:
  // Rings both wakers, either of which may be null.
  static std::shared_ptr<WatchSet> make(WatchRegistry& watches,
                                        std::vector<WatchTarget> targets,
                                        engine::Waker first,
                                        engine::Waker second = nullptr);

  // Returns whether no watch has fired, and no event can have been missed.
  bool quiet() const noexcept { return !fired_.load(); }
  // Returns whether an event said that the node was deleted.
  bool gone() const noexcept { return gone_.load(); }

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
