// engines/etcd/place.h - what is known here of one claim.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "base/mutex.h"
#include "engines/etcd/watches.h"
#include "holdfast/engine/claim.h"

namespace holdfast::etcd {

using Ear = Watches::Ear;

// Belongs to the calls for one ticket, which come one after another.
struct Place {
  std::int64_t lease = 0;     // under which everything below is so
  std::string key;            // empty: none yet
  std::int64_t revision = 0;  // at which the key was created; zero: not known
  bool uncertain = false;     // it may have been created
  bool granted = false;
  std::uint32_t permits = 0;   // of a semaphore
  std::shared_ptr<Ear> ahead;  // who must go first
  std::shared_ptr<Ear> own;    // our own key

  // As before the first attempt, under another lease or after the key was removed.
  void start_again(std::int64_t under_lease);
};

// A granted claim as `renew` sees it.
struct Standing {
  std::int64_t lease = 0;
  std::string key;
  std::int64_t revision = 0;
  std::shared_ptr<Ear> own;  // null: nobody listens yet
};

// The claims of one resource. Safe for concurrent use.
class Places {
 public:
  std::shared_ptr<Place> find(engine::Ticket ticket) const;
  std::shared_ptr<Place> find_or_add(engine::Ticket ticket);
  void erase(engine::Ticket ticket) noexcept;

  // What was granted under other leases is gone: nobody may ever drop it.
  void forget_others(std::int64_t lease);

  // Makes known that a claim is granted as it is now.
  void publish(engine::Ticket ticket, const Place& place);
  std::optional<Standing> standing(engine::Ticket ticket) const;
  void listened_to(engine::Ticket ticket, std::shared_ptr<Ear> own);

 private:
  struct Row {
    std::shared_ptr<Place> place;
    std::optional<Standing> standing;
  };
  mutable base::Mutex mutex_;
  std::unordered_map<engine::Ticket, Row> rows_ HOLDFAST_GUARDED_BY(mutex_);
};

}  // namespace holdfast::etcd
