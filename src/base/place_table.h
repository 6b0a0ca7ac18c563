// base/place_table.h - the claims of one resource, in engines where claims depend on a
// session or a lease of the server.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/mutex.h"
#include "holdfast/engine/claim.h"

namespace holdfast::base {

// A `Place` belongs to the calls for its ticket, which come one after another. Its
// `standing()` is what `renew` sees of it meanwhile, once it is granted: among other
// things `under`, the session or lease that it depends on, and `own`, its subscription.
// The table is safe for concurrent use.
template <class Place>
class PlaceTable {
 public:
  using Standing = decltype(std::declval<const Place&>().standing());

  std::shared_ptr<Place> find(engine::Ticket ticket) const {
    MutexLock lock(mutex_);
    const auto found = rows_.find(ticket);
    return found != rows_.end() ? found->second.place : nullptr;
  }

  std::shared_ptr<Place> find_or_add(engine::Ticket ticket, Place fresh = {}) {
    MutexLock lock(mutex_);
    auto& place = rows_[ticket].place;
    if (place == nullptr) place = std::make_shared<Place>(std::move(fresh));
    return place;
  }

  void erase(engine::Ticket ticket) noexcept {
    Row last;  // It is destroyed without the mutex.
    MutexLock lock(mutex_);
    const auto found = rows_.find(ticket);
    if (found == rows_.end()) return;
    last = std::move(found->second);
    rows_.erase(found);
  }

  // Claims that were granted under another session or lease are gone, and need no drop.
  void forget_others(std::int64_t under) {
    MutexLock lock(mutex_);
    std::erase_if(rows_, [&](const auto& each) {
      const auto& standing = each.second.standing;
      return standing && standing->under != under;
    });
  }

  // Lets `renew` see that the claim is granted, as it is now.
  void publish(engine::Ticket ticket, const Place& place) {
    MutexLock lock(mutex_);
    rows_[ticket].standing = place.standing();
  }
  std::optional<Standing> standing(engine::Ticket ticket) const {
    MutexLock lock(mutex_);
    const auto found = rows_.find(ticket);
    return found != rows_.end() ? found->second.standing : std::nullopt;
  }
  // Calls change(Standing&), which must be short. False: the claim is not granted, or
  // was retired.
  template <class Change>
  bool change(engine::Ticket ticket, Change&& change) {
    MutexLock lock(mutex_);
    const auto found = rows_.find(ticket);
    if (found == rows_.end() || !found->second.standing) return false;
    std::forward<Change>(change)(*found->second.standing);
    return true;
  }
  // From now on `renew` does not see the claim, which is about to be dropped. Returns
  // what it saw last; nothing: it was not granted, or was retired before.
  std::optional<Standing> retire(engine::Ticket ticket) {
    MutexLock lock(mutex_);
    const auto found = rows_.find(ticket);
    if (found == rows_.end()) return std::nullopt;
    return std::exchange(found->second.standing, std::nullopt);
  }
  void listened_to(engine::Ticket ticket, decltype(Standing::own) own) {
    MutexLock lock(mutex_);
    const auto found = rows_.find(ticket);
    if (found == rows_.end() || !found->second.standing) return;
    found->second.standing->own.swap(own);
  }

 private:
  struct Row {
    std::shared_ptr<Place> place;
    std::optional<Standing> standing;
  };
  mutable Mutex mutex_;
  std::unordered_map<engine::Ticket, Row> rows_ HOLDFAST_GUARDED_BY(mutex_);
};

}  // namespace holdfast::base
