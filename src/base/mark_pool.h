// base/mark_pool.h - marks, which say whose change to a register was made last with
// them; each is used by one call at a time, and again by later ones.

#pragma once

#include <algorithm>
#include <cstdint>
#include <list>

#include "base/mutex.h"
#include "holdfast/engine/claim.h"

namespace holdfast::base {

// A `Mark` is made from its number and has `ticket`, `busy`, `begin(ticket)`, which
// makes it as new for another ticket, and `settled()`: nobody needs what it says of the
// last one. Safe for concurrent use.
template <class Mark>
class MarkPool {
 public:
  // The ticket's own, or another that is free. Give it back when the call is over.
  Mark& take(engine::Ticket ticket) {
    MutexLock lock(mutex_);
    auto found = find([&](const Mark& each) { return each.ticket == ticket; });
    if (found == marks_.end() && marks_.size() >= kFewest) {
      const bool many = marks_.size() >= kMost;
      found = find([&](const Mark& each) { return many || each.settled(); });
    }
    if (found == marks_.end()) found = marks_.insert(marks_.end(), Mark(made_++));
    marks_.splice(marks_.end(), marks_, found);
    if (found->ticket != ticket) found->begin(ticket);
    found->busy = true;
    return *found;
  }

  void give_back(Mark& mark) {
    MutexLock lock(mutex_);
    mark.busy = false;
  }

 private:
  static constexpr std::size_t kFewest = 4;   // so that answers are remembered a while
  static constexpr std::size_t kMost = 1024;  // whose changes nobody asked for again

  template <class Fits>
  auto find(Fits fits) HOLDFAST_REQUIRES(mutex_) {
    return std::find_if(marks_.begin(), marks_.end(),
                        [&](const Mark& each) { return !each.busy && fits(each); });
  }

  Mutex mutex_;
  std::list<Mark> marks_ HOLDFAST_GUARDED_BY(mutex_);  // least lately used first
  std::uint64_t made_ HOLDFAST_GUARDED_BY(mutex_) = 0;
};

}  // namespace holdfast::base
