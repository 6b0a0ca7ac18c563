// core/lease_renewer.h - renews leases, sees losses and clears up.

#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "base/thread_pool.h"
#include "core/alarm_signal.h"
#include "core/id_table.h"
#include "core/lease.h"
#include "core/notifier.h"
#include "core/renewal_schedule.h"
#include "holdfast/log.h"
#include "holdfast/metrics.h"

namespace holdfast::core {

// One per client. Its *timer* is a thread that starts with the first thing to keep and
// only looks at the clock: it calls neither the engine nor code of the user's, so it is
// never late to see that a lease is over. What the engine has to be asked is asked by
// *workers*, as many as there are calls that take long.
//
// Leases that are due together are renewed in one call, at a third of the ttl, and once
// before: a hold that has lasted for half a second is looked after from then on, since
// that call is where an engine begins to watch it. An error is not a loss: it is
// repeated until the clock says that the lease is over. When a hold is lost, its gate's
// turn passes on, the notifier tells its holder, and the claim is dropped.
//
// A drop that was not confirmed is *pending*: it is repeated until it is, so that no
// claim is left behind. Safe for concurrent use.
class LeaseRenewer {
 public:
  struct Surroundings {
    engine::Session& session;
    std::chrono::milliseconds ttl;
    std::shared_ptr<AlarmSignal> alarm;
    Notifier& notifier;
    LogSink log;
    Metrics* metrics;
  };

  explicit LeaseRenewer(Surroundings around);
  ~LeaseRenewer();  // as `stop()`

  // Keeps this lease from now on. `asked_late`: it was granted some time ago, so ask
  // the engine at once whether it is still there. False: the client is closed, or the
  // system gives no thread; the lease is lost. (In the latter case its claim is a
  // pending drop.)
  bool adopt(Lease& lease, const LeaseStart& start, bool asked_late = false) noexcept;

  // The renewer knows the lease no more; its owner calls this before it is destroyed. A
  // renewal in flight may still arrive, but never creates, and its outcome is ignored.
  // False: the renewer did not know it, or has lost it.
  bool forget(Lease& lease) noexcept;

  // Makes a kept claim what `wanted` says: other mode, payload, or fewer permits; its
  // ticket and lease are those it has. Errc::not_held: it is gone.
  Result<void> amend(Lease& lease, engine::Claim wanted);

  // Drops the claim until that is confirmed, also after `close`.
  void drop_later(BoundClaim claim);

  // While any claim waits, the session is kept alive.
  void add_waiter();
  void remove_waiter() noexcept;

  // Looks at the clock again now.
  void wake() noexcept { around_.alarm->poke(); }

  // Loses all leases; nothing is renewed any more. The pending drops are handed to the
  // caller, which gives back what it cannot drop.
  std::vector<BoundClaim> close() noexcept;

  // After `close`: ends the threads, unless a drop is pending. They then go on until it
  // is confirmed, or until `stop`.
  void rest() noexcept;

  // Ends the threads. The pending drops are handed to the caller.
  std::vector<BoundClaim> stop() noexcept;

 private:
  using Time = Clock::time_point;
  struct PendingDrop {
    BoundClaim claim;
    Time due;
    int failures = 0;
  };
  struct Renewal {
    RenewalSchedule::Id id;
    BoundClaim claim;  // as it is to be renewed
    std::uint16_t changes;
  };
  struct Exchange {
    Time sent;
    Time answered;
  };
  struct Tally {  // of one call
    std::size_t renewed = 0;
    engine::Lease slack = engine::Lease::max();
    std::error_code trouble{};
  };
  enum class Why { over, gone, closing };

  bool enter(Lease& lease, const RenewalSchedule::Entry& entry) noexcept
      HOLDFAST_REQUIRES(mutex_);

  // The timer.
  bool ensure_timer() noexcept HOLDFAST_REQUIRES(mutex_);
  bool wake_by(Time time) noexcept HOLDFAST_REQUIRES(mutex_);
  void run();
  bool done() const HOLDFAST_REQUIRES(mutex_);
  Time step(Time now) HOLDFAST_REQUIRES(mutex_);
  Time start_renewals(Time now) HOLDFAST_REQUIRES(mutex_);
  void beat(Time now) HOLDFAST_REQUIRES(mutex_);
  Time start_drops(Time now) HOLDFAST_REQUIRES(mutex_);
  Time tell_again(Time now) HOLDFAST_REQUIRES(mutex_);
  void lose(RenewalSchedule::Id id, Why why) HOLDFAST_REQUIRES(mutex_);
  void lose_all() HOLDFAST_REQUIRES(mutex_);
  void add_drop(BoundClaim claim) HOLDFAST_REQUIRES(mutex_);
  std::vector<BoundClaim> take_drops() HOLDFAST_REQUIRES(mutex_);

  // The workers.
  void renew(const RenewalSchedule::Call& call) HOLDFAST_EXCLUDES(mutex_);
  std::vector<Renewal> gather(const RenewalSchedule::Call& call, Time now)
      HOLDFAST_REQUIRES(mutex_);
  void settle(const RenewalSchedule::Call& call, const Renewal& renewal,
              const engine::ClaimRef& ref, Exchange when, Tally& tally)
      HOLDFAST_REQUIRES(mutex_);
  void drop_due() HOLDFAST_EXCLUDES(mutex_);
  std::optional<PendingDrop> take_due_drop() HOLDFAST_REQUIRES(mutex_);
  void warn(Time now, const std::string& line) HOLDFAST_REQUIRES(mutex_);

  engine::Lease lease_from(const RenewalSchedule::Entry& entry, engine::Lease asked,
                           Time now) const noexcept;
  engine::Lease third() const noexcept;
  engine::Lease call_limit() const noexcept;

  const Surroundings around_;

  base::Mutex mutex_;
  base::CondVar changed_;  // for `rest`: the timer has ended, or will not
  std::thread timer_ HOLDFAST_GUARDED_BY(mutex_);
  bool timing_ HOLDFAST_GUARDED_BY(mutex_) = false;   // the timer runs
  bool closing_ HOLDFAST_GUARDED_BY(mutex_) = false;  // pending drops alone are left
  bool stopping_ HOLDFAST_GUARDED_BY(mutex_) = false;
  std::shared_ptr<base::ThreadPool> workers_ HOLDFAST_GUARDED_BY(mutex_);
  RenewalSchedule schedule_ HOLDFAST_GUARDED_BY(mutex_);
  IdTable<Lease*> leases_ HOLDFAST_GUARDED_BY(mutex_);
  std::vector<PendingDrop> drops_ HOLDFAST_GUARDED_BY(mutex_);
  std::vector<std::stop_source> untold_ HOLDFAST_GUARDED_BY(mutex_);
  std::size_t droppers_ HOLDFAST_GUARDED_BY(mutex_) = 0;  // workers that drop
  std::size_t waiters_ HOLDFAST_GUARDED_BY(mutex_) = 0;
  Time next_beat_ HOLDFAST_GUARDED_BY(mutex_) = Time::max();
  Time asleep_until_ HOLDFAST_GUARDED_BY(mutex_) = Time::min();
  Time quiet_until_ HOLDFAST_GUARDED_BY(mutex_) = Time::min();
};

}  // namespace holdfast::core
