// SPDX-License-Identifier: Apache-2.0

#include "engines/mysql/renewal.h"

#include <algorithm>
#include <vector>

#include "base/time_left.h"
#include "base/transient.h"
#include "engines/mysql/resource.h"

namespace holdfast::mysql {
namespace {

constexpr std::size_t kMostSlow = 1000;

engine::Deadline half_way_to(engine::Deadline until) {
  return until - base::time_left(until, Clock::duration::max()) / 2;
}

}  // namespace

bool Renewal::was_slow(const engine::ClaimRef* ref) const {
  base::MutexLock lock(mutex_);
  return slow_.contains(ref->claim->ticket);
}

void Renewal::note(const engine::ClaimRef& ref, bool slow) {
  base::MutexLock lock(mutex_);
  if (!slow) {
    slow_.erase(ref.claim->ticket);
    return;
  }
  if (slow_.size() >= kMostSlow) slow_.clear();  // Most of them ended long ago.
  slow_.insert(ref.claim->ticket);
}

void Renewal::renew_one(engine::ClaimRef& ref, engine::Deadline until) {
  const auto asked = Clock::now();
  const auto renewed =
      static_cast<MysqlResource*>(ref.resource)->renew(*ref.claim, until);
  ref.outcome = renewed ? std::error_code{} : renewed.error().code;
  ref.granted.lease = backend_.lease_of(*ref.claim) - (Clock::now() - asked);
  note(ref, !renewed && base::is_transient(renewed.error()));
}

// Where the lock is the connection's own, a connection must not be given up before the
// time is over.
void Renewal::renew_all(std::span<engine::ClaimRef> refs, engine::Deadline until) {
  std::vector<engine::ClaimRef*> due;
  due.reserve(refs.size());
  for (engine::ClaimRef& ref : refs) due.push_back(&ref);
  std::stable_partition(due.begin(), due.end(), [this](const engine::ClaimRef* each) {
    return !was_slow(each);
  });
  const bool shares = backend_.options().mode != LockMethod::getlock;
  for (engine::ClaimRef* each : due) {
    const bool last = each == due.back();
    renew_one(*each, shares && !last ? half_way_to(until) : until);
  }
}

}  // namespace holdfast::mysql
