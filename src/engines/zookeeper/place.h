// engines/zookeeper/place.h - what is known here of one claim.

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "engines/zookeeper/ears.h"
#include "holdfast/engine/claim.h"

namespace holdfast::zookeeper {

// Listens on some paths, and remembers that something happened to one of them.
class Lookout final : public Listener {
 public:
  // Rings both, either of which may be null.
  static std::shared_ptr<Lookout> make(Ears& ears, std::vector<Spot> spots,
                                       engine::Waker first,
                                       engine::Waker second = nullptr);

  // Nothing was heard, and nothing can have been missed.
  bool quiet() const noexcept { return !stirred_.load(); }
  bool gone() const noexcept { return gone_.load(); }  // the node, as was heard

  void heard(bool gone) noexcept override;
  void missed() noexcept override;

 private:
  Lookout(engine::Waker first, engine::Waker second) noexcept
      : first_(std::move(first)), second_(std::move(second)) {}
  void ring() const noexcept;

  const engine::Waker first_;
  const engine::Waker second_;
  std::atomic<bool> stirred_{false};
  std::atomic<bool> gone_{false};
  std::vector<std::unique_ptr<Ears::Ear>> ears_;
};

// Belongs to the calls for one ticket, which come one after another.
struct Place {
  std::string id;                   // in a UUID's spelling
  std::int64_t session = 0;         // in which everything below is so
  bool uncertain = false;           // a node may have been made whose name is not known
  std::string node;                 // the path of its place in line; empty: none
  std::vector<std::string> leases;  // paths of a semaphore's
  std::uint64_t token = 0;          // of the last node that was made
  bool first = false;               // in line
  bool taking = false;              // its leases may have been made
  bool granted = false;
  bool last_obstacle = false;      // when `ahead` goes, the turn has come
  std::shared_ptr<Lookout> ahead;  // who must go first
  std::shared_ptr<Lookout> own;    // our own node, while it waits
  std::shared_ptr<Lookout> stock;  // of a semaphore

  // As before the first attempt, for another session.
  void start_again(std::int64_t in_session);
  std::vector<std::string> nodes() const;
};

// A granted claim as `renew` sees it.
struct Standing {
  std::int64_t session = 0;
  std::vector<std::string> nodes;
  std::shared_ptr<Lookout> own;  // null: nobody watches them yet
};

// The claims of one resource. Safe for concurrent use.
class Places {
 public:
  std::shared_ptr<Place> find(engine::Ticket ticket) const;
  std::shared_ptr<Place> find_or_add(engine::Ticket ticket, std::string id);
  void erase(engine::Ticket ticket) noexcept;

  // What was granted in other sessions is gone: nobody may ever drop it.
  void forget_others(std::int64_t session);

  // Makes known that a claim is granted as it is now.
  void publish(engine::Ticket ticket, const Place& place);
  std::optional<Standing> standing(engine::Ticket ticket) const;
  void watched(engine::Ticket ticket, std::shared_ptr<Lookout> own);

 private:
  struct Row {
    std::shared_ptr<Place> place;
    std::optional<Standing> standing;
  };
  mutable base::Mutex mutex_;
  std::unordered_map<engine::Ticket, Row> rows_ HOLDFAST_GUARDED_BY(mutex_);
};

}  // namespace holdfast::zookeeper
