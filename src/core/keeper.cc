#include "core/keeper.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "base/identity.h"
#include "core/ask.h"
#include "core/gate.h"
#include "core/hub.h"

namespace holdfast::core {
namespace {

using namespace std::chrono_literals;

// Enough for the calls that one poisoned claim or one dead shard can keep, and the
// rest.
constexpr std::size_t kMostWorkers = 24;

// An engine begins to watch a claim when that is first renewed. That is soon, so that
// an eviction is told within a second whatever the ttl, and not at once, so that a
// short hold costs nothing more.
constexpr Clock::duration kFirstRenewal = 500ms;

std::shared_ptr<base::ThreadPool> make_workers() {
  return std::make_shared<base::ThreadPool>(base::ThreadPool::Options{
      .name = "holdfast-renew", .most = kMostWorkers, .patience = 0ms});
}

}  // namespace

Keeper::Keeper(Surroundings around)
    : around_(std::move(around)), workers_(make_workers()), schedule_(around_.ttl) {}

Keeper::~Keeper() { (void)stop(); }

bool Keeper::adopt(Tenure& tenure, const Grant& grant, const Terms& terms,
                   bool asked_late) noexcept {
  RenewalSchedule::Entry entry;
  entry.sent = grant.sent;
  entry.lease = grant.lease;
  entry.renewed = terms.renewed;
  if (!terms.cap.is_forever()) entry.cap = terms.cap.deadline_from(grant.since);
  const Time now = Clock::now();
  if (entry.lease == engine::kNoLease && entry.renewed) entry.sent = now;
  if (entry.lease != engine::kNoLease) entry.due = now + kFirstRenewal;
  if (asked_late) entry.due = entry.sent;
  tenure.extend(entry.deadline());

  base::MutexLock lock(mutex_);
  if (closing_) {
    tenure.lose();
    return false;
  }
  if (!ensure_timer() || !enter(tenure, entry)) {
    tenure.lose();
    drops_.push_back({{tenure.bound(), tenure.claim()}, Clock::now()});
    return false;
  }
  return true;
}

bool Keeper::enter(Tenure& tenure, const RenewalSchedule::Entry& entry) noexcept {
  try {
    schedule_.add(tenure.id(), entry);
    tenures_.insert(tenure.id(), &tenure);
  } catch (const std::exception&) {  // no memory
    schedule_.remove(tenure.id());
    return false;
  }
  const auto* const added = schedule_.find(tenure.id());
  next_beat_ = std::min(next_beat_, Clock::now() + third());
  return wake_by(std::min({added->due, added->deadline(), next_beat_}));
}

std::optional<Keeper::Kept> Keeper::forget(Tenure& tenure) {
  base::MutexLock lock(mutex_);
  const bool was_live = tenure.end();
  Kept kept{};
  if (const auto* entry = schedule_.find(tenure.id())) {
    kept = {entry->sent, entry->lease};
  }
  schedule_.remove(tenure.id());
  tenures_.erase(tenure.id());
  if (!was_live) return std::nullopt;
  return kept;
}

Result<void> Keeper::amend(Tenure& tenure, engine::Claim wanted) {
  const engine::Claim held = tenure.claim();
  wanted.ticket = held.ticket;
  std::string payload;
  if (wanted.payload.empty()) {
    payload = base::payload_with_reason(tenure.bound()->hub().payload());
    wanted.payload = payload;
  }
  {
    base::MutexLock lock(mutex_);
    const auto* const entry = schedule_.find(tenure.id());
    if (entry == nullptr) return Errc::not_held;
    wanted.lease = lease_from(*entry, held.lease, Clock::now());
    tenure.begin_change();
  }
  Time sent{};
  const auto amended =
      ask_engine<engine::Granted>(*tenure.bound(), [&](engine::Deadline until) {
        sent = Clock::now();
        return tenure.bound()->resource().amend(held, wanted, until);
      });
  base::MutexLock lock(mutex_);
  tenure.end_change(amended ? wanted : held);
  const auto* const entry = schedule_.find(tenure.id());
  if (entry == nullptr) {  // lost meanwhile, and `lose` has left the drop to us
    add_drop({tenure.bound(), held});
    return Errc::not_held;
  }
  if (!amended) {
    if (amended.error().code == Errc::not_held) lose(tenure.id(), Why::gone);
    return amended.error();
  }
  if (entry->renewed) {
    schedule_.renewed(tenure.id(), Time::max(), sent, amended->lease);
    tenure.extend(entry->deadline());
  }
  return {};
}

void Keeper::doom(BoundClaim claim) {
  base::MutexLock lock(mutex_);
  add_drop(std::move(claim));
}

void Keeper::add_drop(BoundClaim claim) {
  if (stopping_) return;
  const Time now = Clock::now();
  drops_.push_back({std::move(claim), now});
  // Without a thread to be had, it is dropped when there is one, or by `close`.
  (void)wake_by(now);
  changed_.notify_all();
}

void Keeper::add_waiter() {
  base::MutexLock lock(mutex_);
  if (waiters_++ > 0 || closing_) return;
  next_beat_ = std::min(next_beat_, Clock::now() + third());
  (void)wake_by(next_beat_);
}

void Keeper::remove_waiter() noexcept {
  base::MutexLock lock(mutex_);
  --waiters_;
}

std::vector<BoundClaim> Keeper::close() noexcept {
  std::vector<std::stop_source> untold;
  std::vector<BoundClaim> left;
  {
    base::MutexLock lock(mutex_);
    closing_ = true;
    lose_all();
    untold.swap(untold_);
    left = take_drops();
    around_.bell->poke();
  }
  for (const std::stop_source& each : untold) around_.notifier.post(each);
  return left;
}

void Keeper::rest() noexcept {
  std::shared_ptr<base::ThreadPool> workers;
  {
    base::MutexLock lock(mutex_);
    while (timing_ && done()) changed_.wait(lock);
    if (timing_) return;
    if (timer_.joinable()) timer_.join();
    workers = std::exchange(workers_, make_workers());
  }
  workers->stop();
}

std::vector<BoundClaim> Keeper::stop() noexcept {
  std::thread timer;
  std::shared_ptr<base::ThreadPool> workers;
  {
    base::MutexLock lock(mutex_);
    closing_ = true;
    stopping_ = true;
    timer = std::move(timer_);
    workers = workers_;
    around_.bell->poke();
  }
  if (timer.joinable()) timer.join();
  workers->stop();

  base::MutexLock lock(mutex_);
  lose_all();
  return take_drops();
}

void Keeper::lose_all() {
  std::vector<RenewalSchedule::Id> ids;
  tenures_.each([&](RenewalSchedule::Id id, Tenure*) { ids.push_back(id); });
  for (const auto id : ids) lose(id, Why::closing);
}

std::vector<BoundClaim> Keeper::take_drops() {
  std::vector<BoundClaim> left;
  for (PendingDrop& drop : drops_) left.push_back(std::move(drop.claim));
  drops_.clear();
  return left;
}

void Keeper::lose(RenewalSchedule::Id id, Why why) {
  Tenure* const* const found = tenures_.find(id);
  if (found == nullptr) return;
  Tenure* const tenure = *found;
  tenures_.erase(id);
  const auto* const entry = schedule_.find(id);
  // Not before its end at the engine: lost() callbacks have the drift allowance.
  const Time end = entry != nullptr ? entry->end() : Clock::now();
  schedule_.remove(id);
  if (!tenure->lose()) return;

  const Bound& bound = *tenure->bound();
  const std::stop_source asked = tenure->who_asked();
  if (!around_.notifier.try_post(asked)) untold_.push_back(asked);
  if (around_.metrics != nullptr) around_.metrics->lost(bound.name());
  if (bound.gate() != nullptr) bound.gate()->leave(tenure->turn());
  // An engine is not asked to drop a claim while it is asked to change it.
  if (why == Why::over && !tenure->changing()) {
    drops_.push_back({{tenure->bound(), tenure->claim()}, end});
  }
}

}  // namespace holdfast::core
