// SPDX-License-Identifier: Apache-2.0

// core/renewal_schedule.h - decides which lease to renew when, and which one is over.
//
// It has no thread, no I/O and no clock of its own. The renewer does what it says.
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

class Lease;

// Returns the end of a lease for its holder: counted from when the request was sent,
// less a drift allowance of 1 % and 2 ms, so that the holder stops before the server
// does.
Clock::time_point deadline_of(Clock::time_point sent, engine::LeaseTime lease) noexcept;

// The class is not safe for concurrent use.
class RenewalSchedule {
 public:
  using Id = std::uint64_t;
  using Time = Clock::time_point;

  struct Entry {
    Time sent{};                                 // time of the last successful request
    engine::LeaseTime lease = engine::kNoLease;  // the lease that it granted
    Time cap = Time::max();                      // the lease ends then at the latest
    Time due = Time::max();                      // when the engine is to be asked
    Time answer_due = Time::max();  // of the call that it is in, if there is one
    int failures = 0;               // since the last success
    bool renewed = true;            // false means that it runs out
    Lease* target = nullptr;        // what is renewed, for the renewer alone

    Time deadline() const noexcept;  // for the holder
    Time end() const noexcept;       // at the engine

    // Whether its end is the one that was agreed on, and not that of a lease which
    // could not be renewed.
    bool ends_as_agreed() const noexcept;

    // Returns how long a lease to ask for at `now`, so that the grant ends when it
    // should. `asked` is what the holder asked for, where zero stands for `ttl`.
    // REQUIRES: it is not over at `now`; an engine would take a time of zero for its
    // ttl.
    engine::LeaseTime lease_to_ask(engine::LeaseTime asked, engine::LeaseTime ttl,
                                   Time now) const noexcept;
    bool asked() const noexcept { return answer_due != Time::max(); }
  };

  // One call to the engine.
  struct Call {
    std::vector<Id> ids;
    engine::LeaseTime limit;  // how long it may take
    Time answer_due;          // as in its entries; it tells apart the calls of one id
  };

  struct Plan {
    std::vector<Call> calls;
    std::vector<Id> lost;     // their deadline has passed; the caller removes them
    Time next = Time::max();  // when to poll again, if nothing happens before
  };

  // A grant that does not end by time is asked about three times in `recheck`.
  explicit RenewalSchedule(engine::LeaseTime recheck) noexcept : recheck_(recheck) {}

  void add(Id id, Entry entry);
  void remove(Id id);
  const Entry* find(Id id) noexcept;
  std::vector<Id> ids();
  std::size_t size() const noexcept { return entries_.size(); }

  // Returns what to do at `now`. A call also renews the leases that would soon be due.
  // The leases of a call count as asked until `renewed`, `failed` or `postponed`
  // reports how it ended; without a report before `answer_due` the call has failed.
  //
  // One lease whose call is not answered must not hold up others. So a call is made of
  // leases of similar length, and never of renewed and fixed ones. Leases whose call
  // failed are asked about apart from the others, in sixteen calls that are put
  // together differently each time, so that the one that causes the failure is soon
  // alone.
  Plan poll(Time now);

  // Makes every lease due now, also those that are not renewed.
  void hasten(Time now);

  // These report how a call ended for one of its ids. `failed` means that the outcome
  // is not known; the lease is tried again soon, until its deadline. `postponed` means
  // that the engine was not asked about it. `call` is the call's `answer_due`, or max()
  // if the lease was renewed without a call.
  void renewed(Id id, Time call, Time sent, engine::LeaseTime lease);
  void failed(Id id, Time call, Time now);
  void postponed(Id id, Time call, Time now);

 private:
  engine::LeaseTime span_of(engine::LeaseTime lease) const noexcept;
  Time due_after(const Entry& entry, Time sent) const noexcept;
  Entry* find_asked(Id id, Time call) noexcept;
  void retry(Entry& entry, Time now) const noexcept;
  unsigned part_of(Id id, const Entry& entry) const noexcept;
  void plan_calls(Plan& plan, Time now);
  Call call(std::vector<Id> ids, Time now);

  engine::LeaseTime recheck_;
  IdTable<Entry> entries_;
};

}  // namespace holdfast::core
