// core/keeper.h - the thread that renews, sees losses and clears up.

#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "core/bell.h"
#include "core/id_table.h"
#include "core/notifier.h"
#include "core/renewal_schedule.h"
#include "core/tenure.h"
#include "core/terms.h"
#include "holdfast/log.h"
#include "holdfast/metrics.h"

namespace holdfast::core {

// One per client; its thread starts with the first thing to keep.
//
// Renews all leases that are due in one call. An error is not a loss: it tries again
// until the clock says that the lease is over. When a hold is lost, the notifier is
// told, the gate's turn passes on, and the claim is doomed.
//
// The doomed are claims whose drop was not confirmed. They are dropped again until it
// is, so that none is left behind. Safe for concurrent use.
class Keeper {
 public:
  struct Surroundings {
    engine::Session& session;
    std::chrono::milliseconds ttl;
    std::shared_ptr<Bell> bell;
    Notifier& notifier;
    LogSink log;
    Metrics* metrics;
  };

  explicit Keeper(Surroundings around);
  ~Keeper();  // as `stop()`

  // Keeps this grant from now on. `asked_late`: it was granted some time ago without a
  // tenure, so ask the engine at once whether it is still there.
  void adopt(Tenure& tenure, const Grant& grant, const Terms& terms,
             bool asked_late = false);

  // Ends a tenure; the keeper knows it no more. The grant as of the last renewal, or
  // nothing: it had been lost. A renewal in flight may still arrive, but never creates,
  // and its outcome is ignored.
  struct Kept {
    Clock::time_point sent;
    engine::Lease lease;
  };
  std::optional<Kept> forget(Tenure& tenure);

  // Makes a kept claim what `wanted` says: other mode, payload, or fewer permits; its
  // ticket and lease are those it has. Errc::not_held: it is gone.
  Result<void> amend(Tenure& tenure, engine::Claim wanted);

  void doom(BoundClaim claim);

  // While any claim waits, the session is kept alive.
  void add_waiter();
  void remove_waiter() noexcept;

  // Looks at the clock again now.
  void wake() noexcept { around_.bell->poke(); }

  // Ends the thread. All tenures are lost, and the doomed are handed to the caller.
  std::vector<BoundClaim> stop() noexcept;

 private:
  struct Doomed {
    BoundClaim claim;
    Clock::time_point due;
    int failures = 0;
  };
  struct Renewal {
    RenewalSchedule::Id id;
    BoundClaim claim;  // as it is to be renewed
    std::uint16_t changes;
  };
  struct Work {
    std::vector<Renewal> renew;
    std::vector<Doomed> drop;
    bool beat = false;
    engine::Deadline until{};
    bool idle() const noexcept { return renew.empty() && drop.empty() && !beat; }
  };

  void ensure_thread() HOLDFAST_REQUIRES(mutex_);
  void wake_by(Clock::time_point time) HOLDFAST_REQUIRES(mutex_);
  void run();
  Work plan(Clock::time_point now) HOLDFAST_REQUIRES(mutex_);
  void renew(Work& work) HOLDFAST_EXCLUDES(mutex_);
  void drop(Work& work) HOLDFAST_EXCLUDES(mutex_);
  enum class Why { over, gone, closing };
  void lose(RenewalSchedule::Id id, Why why) HOLDFAST_REQUIRES(mutex_);
  void warn(Clock::time_point now, const std::string& line) HOLDFAST_REQUIRES(mutex_);
  engine::Lease lease_from(const RenewalSchedule::Entry& entry, engine::Lease asked,
                           Clock::time_point now) const noexcept;
  engine::Lease third() const noexcept { return around_.ttl / 3; }

  const Surroundings around_;

  base::Mutex mutex_;
  std::thread thread_ HOLDFAST_GUARDED_BY(mutex_);
  bool stopping_ HOLDFAST_GUARDED_BY(mutex_) = false;
  RenewalSchedule schedule_ HOLDFAST_GUARDED_BY(mutex_);
  IdTable<Tenure*> tenures_ HOLDFAST_GUARDED_BY(mutex_);
  std::vector<Doomed> doomed_ HOLDFAST_GUARDED_BY(mutex_);
  std::size_t waiters_ HOLDFAST_GUARDED_BY(mutex_) = 0;
  Clock::time_point next_beat_ HOLDFAST_GUARDED_BY(mutex_) = Clock::time_point::max();
  Clock::time_point asleep_until_ HOLDFAST_GUARDED_BY(mutex_) =
      Clock::time_point::min();
  Clock::time_point quiet_until_ HOLDFAST_GUARDED_BY(mutex_) = Clock::time_point::min();
};

}  // namespace holdfast::core
