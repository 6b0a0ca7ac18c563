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
class Listener {
 public:
  virtual ~Listener() = default;

  // The watch has fired, and is no more. `gone`: and so is the node.
  virtual void heard(bool gone) noexcept = 0;

  virtual void missed() noexcept = 0;  // something may have been missed
};

struct Spot {
  std::string path;
  Change change = Change::data;
};

// Safe for concurrent use.
class Ears {
 public:
  using Key = std::uint64_t;
  static Key key(std::string_view path, Change change) noexcept;
  static Key key(const Spot& spot) noexcept { return key(spot.path, spot.change); }

  // Until it is destroyed, the listener hears. The spot need not be watched yet.
  class Ear {
   public:
    Ear(Ears& ears, Spot spot, std::weak_ptr<Listener> listener);
    ~Ear();
    Ear(const Ear&) = delete;
    Ear& operator=(const Ear&) = delete;

   private:
    friend class Ears;
    Ears& ears_;
    const Spot spot_;
    const Key key_;
    const std::weak_ptr<Listener> listener_;
  };

  void heard(Key key, std::string_view path, bool gone) noexcept;
  void missed() noexcept;  // everybody

 private:
  base::Mutex mutex_;
  std::unordered_multimap<Key, const Ear*> all_ HOLDFAST_GUARDED_BY(mutex_);
};

}  // namespace holdfast::zookeeper
