#include "core/keeper.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "base/thread.h"
#include "core/ask.h"
#include "core/gate.h"

namespace holdfast::core {

using Time = Clock::time_point;

Keeper::Keeper(Surroundings around)
    : around_(std::move(around)), schedule_(around_.ttl) {}

Keeper::~Keeper() { stop(); }

void Keeper::adopt(Tenure& tenure, const Grant& grant, const Terms& terms,
                   bool asked_late) {
  RenewalSchedule::Entry entry;
  entry.sent = grant.sent;
  entry.lease = grant.lease;
  entry.renewed = terms.renewed;
  if (!terms.cap.is_forever()) entry.cap = terms.cap.deadline_from(grant.since);
  if (entry.lease == engine::kNoLease && entry.renewed) entry.sent = Clock::now();
  if (asked_late) entry.due = entry.sent;
  tenure.extend(entry.deadline());

  base::MutexLock lock(mutex_);
  if (stopping_) {
    tenure.lose();
    return;
  }
  ensure_thread();
  schedule_.add(tenure.id(), entry);
  tenures_.insert(tenure.id(), &tenure);
  const auto* const added = schedule_.find(tenure.id());
  next_beat_ = std::min(next_beat_, Clock::now() + third());
  wake_by(std::min({added->due, added->deadline(), next_beat_}));
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
  if (entry == nullptr) return Errc::not_held;
  if (!amended) {
    if (amended.error().code == Errc::not_held) lose(tenure.id(), Why::gone);
    return amended.error();
  }
  if (entry->renewed) {
    schedule_.renewed(tenure.id(), sent, amended->lease);
    tenure.extend(entry->deadline());
  }
  return {};
}

void Keeper::doom(BoundClaim claim) {
  base::MutexLock lock(mutex_);
  if (stopping_) return;
  const Time now = Clock::now();
  doomed_.push_back({std::move(claim), now});
  try {
    wake_by(now);
  } catch (const std::exception&) {
    // No thread to be had: it is dropped when there is one, or when the client closes.
  }
}

void Keeper::add_waiter() {
  base::MutexLock lock(mutex_);
  if (waiters_++ > 0 || stopping_) return;
  next_beat_ = std::min(next_beat_, Clock::now() + third());
  wake_by(next_beat_);
}

void Keeper::remove_waiter() noexcept {
  base::MutexLock lock(mutex_);
  --waiters_;
}

std::vector<BoundClaim> Keeper::stop() noexcept {
  std::thread thread;
  {
    base::MutexLock lock(mutex_);
    stopping_ = true;
    thread = std::move(thread_);
    around_.bell->poke();
  }
  if (thread.joinable()) thread.join();

  base::MutexLock lock(mutex_);
  std::vector<RenewalSchedule::Id> ids;
  tenures_.each([&](RenewalSchedule::Id id, Tenure*) { ids.push_back(id); });
  for (const auto id : ids) lose(id, Why::closing);
  std::vector<BoundClaim> left;
  for (Doomed& doomed : doomed_) left.push_back(std::move(doomed.claim));
  doomed_.clear();
  return left;
}

void Keeper::ensure_thread() {
  if (thread_.joinable()) return;
  thread_ = base::start_thread("holdfast-keeper", [this] { run(); });
}

void Keeper::wake_by(Time time) {
  ensure_thread();
  if (time < asleep_until_) around_.bell->poke();
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
  if (around_.metrics != nullptr) around_.metrics->lost(bound.name());
  around_.notifier.post(tenure->who_asked());
  if (bound.gate() != nullptr) bound.gate()->leave(tenure->turn());
  if (why == Why::over) doomed_.push_back({{tenure->bound(), tenure->claim()}, end});
}

void Keeper::warn(Time now, const std::string& line) {
  constexpr auto kQuiet = std::chrono::seconds(10);
  if (now < quiet_until_) return;
  quiet_until_ = now + kQuiet;
  around_.log(LogLevel::warning, line);
}

}  // namespace holdfast::core
