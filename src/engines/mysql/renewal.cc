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

void renew_one(Backend& backend, engine::ClaimRef& ref, engine::Deadline until) {
  const auto asked = Clock::now();
  const auto renewed =
      static_cast<MysqlResource*>(ref.resource)->renew(*ref.claim, until);
  ref.outcome = renewed ? std::error_code{} : renewed.error().code;
  ref.granted.lease = backend.lease_of(*ref.claim) - (Clock::now() - asked);
  backend.slow_claims().note(ref.claim->ticket,
                             !renewed && base::is_transient(renewed.error()));
}

}  // namespace

bool SlowClaims::has(engine::Ticket ticket) const {
  base::MutexLock lock(mutex_);
  return tickets_.contains(ticket);
}

void SlowClaims::note(engine::Ticket ticket, bool slow) {
  base::MutexLock lock(mutex_);
  if (!slow) {
    tickets_.erase(ticket);
    return;
  }
  if (tickets_.size() >= kMostSlow) tickets_.clear();  // Most of them ended long ago.
  tickets_.insert(ticket);
}

// Where the lock is the connection's own, a connection must not be given up before the
// time is over.
Result<void> renew_all(Backend& backend, std::span<engine::ClaimRef> refs,
                       engine::Deadline until) {
  std::vector<engine::ClaimRef*> due;
  due.reserve(refs.size());
  for (engine::ClaimRef& ref : refs) due.push_back(&ref);
  std::stable_partition(due.begin(), due.end(), [&](const engine::ClaimRef* each) {
    return !backend.slow_claims().has(each->claim->ticket);
  });
  for (engine::ClaimRef* each : due) {
    const bool last = each == due.back();
    renew_one(backend, *each,
              backend.has_tables() && !last ? half_way_to(until) : until);
  }
  return {};
}

}  // namespace holdfast::mysql
