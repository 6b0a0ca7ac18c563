// core/renewal_schedule.h - which lease to renew when, and which one is over.
//
// Pure: no thread, no I/O, no clock. The keeper asks it and obeys.
//
//   granted --due--> renewed --due--> ...          due: a third of the lease after sent
//      |                |
//      +----deadline----+--> lost                  deadline: see `deadline_of`

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/id_table.h"
#include "holdfast/engine/claim.h"

namespace holdfast::core {

// The end of a lease as its holder must see it: counted from when it was asked for,
// less a drift allowance of 1 % and 2 ms, so that we stop before the server does.
Clock::time_point deadline_of(Clock::time_point sent, engine::Lease lease) noexcept;

// Not safe for concurrent use.
class RenewalSchedule {
 public:
  using Id = std::uint64_t;
  using Time = Clock::time_point;

  struct Entry {
    Time sent{};                             // of the last success
    engine::Lease lease = engine::kNoLease;  // given by it
    Time cap = Time::max();                  // ends then at the latest
    Time due = Time::max();                  // ask the engine by then
    int failures = 0;                        // since the last success
    bool renewed = true;                     // false: runs out

    Time deadline() const noexcept;  // for the holder
    Time end() const noexcept;       // at the engine
  };

  struct Duty {
    std::vector<Id> renew;
    std::vector<Id> lost;         // their time is over; to be removed
    Time next = Time::max();      // nothing to do before then
    Time earliest = Time::max();  // deadline of those that are left
  };

  // `recheck`: how often to ask about a grant that does not end by time.
  explicit RenewalSchedule(engine::Lease recheck) noexcept : recheck_(recheck) {}

  void add(Id id, Entry entry);
  void remove(Id id);
  const Entry* find(Id id) noexcept;
  std::size_t size() const noexcept { return entries_.size(); }

  // What to do at `now`. A renewal takes along those that would soon be due.
  Duty poll(Time now);

  // Asks about all of them at once, fixed leases too.
  void hasten(Time now);

  // How a renewal ended. `failed`: not known; tried again soon, until the deadline.
  void renewed(Id id, Time sent, engine::Lease lease);
  void failed(Id id, Time now);

 private:
  Time due_after(const Entry& entry, Time sent) const noexcept;

  engine::Lease recheck_;
  IdTable<Entry> entries_;
};

}  // namespace holdfast::core
