// core/renewal_schedule.h - which lease to renew when, and which one is over.
//
// Pure: no thread, no I/O, no clock. The renewer asks it and obeys.
//
//   granted --due--> asked --answer--> renewed --due--> ...     due: a third of the
//      |               |                  |                     lease after `sent`
//      +---deadline----+-----deadline-----+--> lost             see `deadline_of`

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
    Time answer_due = Time::max();           // of the call that names it, if one does
    int failures = 0;                        // since the last success
    bool renewed = true;                     // false: runs out

    Time deadline() const noexcept;  // for the holder
    Time end() const noexcept;       // at the engine
    bool asked() const noexcept { return answer_due != Time::max(); }
  };

  // One call to the engine.
  struct Call {
    std::vector<Id> ids;
    engine::Lease limit;  // how long it may take
    Time answer_due;      // as its entries have it: no two calls for one id are equal
  };

  struct Plan {
    std::vector<Call> calls;
    std::vector<Id> lost;     // their time is over; to be removed
    Time next = Time::max();  // nothing to do before then
  };

  // `recheck`: how often to ask about a grant that does not end by time.
  explicit RenewalSchedule(engine::Lease recheck) noexcept : recheck_(recheck) {}

  void add(Id id, Entry entry);
  void remove(Id id);
  const Entry* find(Id id) noexcept;
  std::size_t size() const noexcept { return entries_.size(); }

  // What to do at `now`. A renewal takes along those that would soon be due. Those that
  // are named in a call count as asked, until it is said here how that ended; if
  // nothing is said before `answer_due`, it has failed.
  //
  // What may keep a call from its answer must not keep others: a call is made of leases
  // of about one length, and never of renewed and fixed ones. Those that failed are
  // asked about apart from the others, in sixteen parts that differ each time, so that
  // the one to blame is soon alone.
  Plan poll(Time now);

  // Asks about all of them at once, fixed leases too.
  void hasten(Time now);

  // How a call ended for one of its ids. `failed`: not known; tried again soon, until
  // the deadline. `postponed`: it was not asked about, through no fault of the engine.
  // `call` is its `answer_due`; max(): it was renewed without one.
  void renewed(Id id, Time call, Time sent, engine::Lease lease);
  void failed(Id id, Time call, Time now);
  void postponed(Id id, Time call, Time now);

 private:
  engine::Lease span_of(engine::Lease lease) const noexcept;
  Time due_after(const Entry& entry, Time sent) const noexcept;
  Entry* find_asked(Id id, Time call) noexcept;
  void retry(Entry& entry, Time now) const noexcept;
  unsigned part_of(Id id, const Entry& entry) const noexcept;
  void plan_calls(Plan& plan, Time now);
  Call call(std::vector<Id> ids, Time now);

  engine::Lease recheck_;
  IdTable<Entry> entries_;
};

}  // namespace holdfast::core
