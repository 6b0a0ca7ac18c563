// SPDX-License-Identifier: Apache-2.0

// core/lease_renewer.h - renews leases, notices their loss and drops what is left over.

#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "base/thread_pool.h"
#include "core/alarm_signal.h"
#include "core/lease.h"
#include "core/notifier.h"
#include "core/pending_drops.h"
#include "core/renewal_schedule.h"
#include "holdfast/log.h"
#include "holdfast/metrics.h"

namespace holdfast::core {

// Every client has one. Its *timer* is a thread that starts with the first lease or
// waiter and only looks at the clock: it calls neither the engine nor the user's code,
// so it is never late to see that a lease is over. The engine is called by *workers*,
// as many as there are calls under way.
//
// Leases that are due together are renewed in one call, at a third of the ttl. A first
// renewal comes after half a second, because an engine begins to watch a claim with its
// first renewal. An error is not a loss: the call is repeated until the clock says that
// the lease is over. When a lease is lost, the turn of its gate passes on, the notifier
// tells its holder, and the claim is dropped.
//
// A drop that was not confirmed is *pending*: it is repeated until it is confirmed, so
// that no claim is left behind. The class is safe for concurrent use.
class LeaseRenewer {
 public:
  struct Dependencies {
    engine::Session& session;
    std::chrono::milliseconds ttl;
    std::shared_ptr<AlarmSignal> alarm;
    Notifier& notifier;
    LogSink log;
    Metrics* metrics;
  };

  explicit LeaseRenewer(Dependencies deps);
  ~LeaseRenewer();  // calls `stop()`

  // Renews this lease from now on. `asked_late` means that it was granted some time
  // ago, so the engine is asked at once whether the claim is still there. False means
  // that the lease is lost, because the client is closed or because the system gives no
  // thread or no memory; in the latter case the claim has become a pending drop.
  bool adopt(Lease& lease, const LeaseStart& start, bool asked_late = false) noexcept;

  // Ends the renewal; the owner calls it before it destroys the lease. A renewal that
  // is under way may still reach the engine, but it creates no claim, and its outcome
  // is ignored. False means that the renewer did not know the lease, or had lost it.
  bool forget(Lease& lease) noexcept;

  // Between these two an adopted claim is changed at the engine (core/amendment.h), and
  // its renewal waits. `begin_change` returns how long a lease to ask for, or nothing
  // while another change of this claim is under way: `waker` is rung when that is over.
  // `answer` is the engine's. Errc::not_held means that the claim is gone. `end_change`
  // returns false if the lease was lost meanwhile.
  Result<std::optional<engine::LeaseTime>> begin_change(Lease& lease,
                                                        const engine::Waker& waker);
  bool end_change(Lease& lease, const engine::Claim& held, const engine::Claim& wanted,
                  Clock::time_point sent,
                  const Result<engine::Granted>& answer) noexcept;

  // Repeats the drop until it is confirmed, also after `close`.
  void drop_later(BoundClaim claim) noexcept;

  // As long as there is a waiter, the session is kept alive.
  void add_waiter();
  void remove_waiter() noexcept;

  // Makes the timer look at the clock now.
  void wake() noexcept { deps_.alarm->poke(); }

  // Loses all leases and renews nothing any more. The caller gets the pending drops,
  // and returns those that it cannot drop by `drop_later`.
  std::vector<BoundClaim> close() noexcept;

  // Ends the threads after `close`, unless a drop is pending: then they go on until it
  // is confirmed, or until `stop`.
  void join_if_idle() noexcept;

  // Ends the threads. The caller gets the pending drops.
  std::vector<BoundClaim> stop() noexcept;

 private:
  using Time = Clock::time_point;
  enum class Why { over, gone, closing };

  bool enter(Lease& lease, const RenewalSchedule::Entry& entry) noexcept
      HOLDFAST_REQUIRES(mutex_);

  bool settle_change(Lease& lease, const engine::Claim& held, Time sent,
                     const Result<engine::Granted>& answer) noexcept
      HOLDFAST_REQUIRES(mutex_);

  // The timer's part. Some of it also runs on the threads of callers.
  bool ensure_timer() noexcept HOLDFAST_REQUIRES(mutex_);
  bool wake_by(Time time) noexcept HOLDFAST_REQUIRES(mutex_);
  void run();
  bool done() const HOLDFAST_REQUIRES(mutex_);
  Time step(Time now) noexcept HOLDFAST_REQUIRES(mutex_);
  Time start_renewals(Time now) HOLDFAST_REQUIRES(mutex_);
  void heartbeat(Time now) HOLDFAST_REQUIRES(mutex_);
  Time retry_notifications(Time now) HOLDFAST_REQUIRES(mutex_);
  void lose(RenewalSchedule::Id id, Why why) noexcept HOLDFAST_REQUIRES(mutex_);
  void lose_all() HOLDFAST_REQUIRES(mutex_);
  void add_drop(BoundClaim claim) noexcept HOLDFAST_REQUIRES(mutex_);

  // The workers' part.
  void renew(const RenewalSchedule::Call& plan) noexcept HOLDFAST_EXCLUDES(mutex_);
  void carry_out(const RenewalSchedule::Call& plan) HOLDFAST_EXCLUDES(mutex_);
  void drop_due() noexcept HOLDFAST_EXCLUDES(mutex_);
  template <class MakeText>
  void warn(Time now, const MakeText& make_text) noexcept HOLDFAST_REQUIRES(mutex_);

  engine::LeaseTime renewal_interval() const noexcept;
  engine::LeaseTime call_limit() const noexcept;

  const Dependencies deps_;

  base::Mutex mutex_;
  // Tells `join_if_idle` that the timer has ended, or has more to do.
  base::CondVar changed_;
  std::thread timer_ HOLDFAST_GUARDED_BY(mutex_);
  bool timer_running_ HOLDFAST_GUARDED_BY(mutex_) = false;
  bool closing_ HOLDFAST_GUARDED_BY(mutex_) = false;  // only pending drops are left
  bool stopping_ HOLDFAST_GUARDED_BY(mutex_) = false;
  std::shared_ptr<base::ThreadPool> workers_ HOLDFAST_GUARDED_BY(mutex_);
  RenewalSchedule schedule_ HOLDFAST_GUARDED_BY(mutex_);
  PendingDrops drops_ HOLDFAST_GUARDED_BY(mutex_);
  std::vector<std::stop_source> pending_notifications_ HOLDFAST_GUARDED_BY(mutex_);
  std::vector<engine::Waker> waiting_to_change_ HOLDFAST_GUARDED_BY(mutex_);
  std::size_t waiters_ HOLDFAST_GUARDED_BY(mutex_) = 0;
  Time next_heartbeat_ HOLDFAST_GUARDED_BY(mutex_) = Time::max();
  Time asleep_until_ HOLDFAST_GUARDED_BY(mutex_) = Time::min();
  // When the timer was last asked to look. It looks then even if the lease has ended
  // meanwhile, so that leases which come and go quickly do not wake it each time.
  Time wanted_by_ HOLDFAST_GUARDED_BY(mutex_) = Time::max();
  Time no_warning_before_ HOLDFAST_GUARDED_BY(mutex_) = Time::min();
};

}  // namespace holdfast::core
