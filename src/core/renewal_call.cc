// SPDX-License-Identifier: Apache-2.0

#include "core/renewal_call.h"

#include <algorithm>
#include <utility>

#include "base/ask_engine.h"
#include "base/common_failures.h"
#include "core/lease.h"

namespace holdfast::core {

void RenewalCall::gather(RenewalSchedule& schedule, engine::LeaseTime ttl, Time now) {
  renewals_.reserve(plan_.ids.size());
  for (const auto id : plan_.ids) {
    const auto* const entry = schedule.find(id);
    if (entry == nullptr || entry->answer_due != plan_.answer_due) continue;
    // A worker may come late, as after a SIGSTOP. The timer reports the loss.
    if (entry->end() <= now) continue;
    const Lease& lease = *entry->target;
    if (lease.changing()) {
      schedule.postponed(id, plan_.answer_due, now);
      continue;
    }
    const std::uint16_t changes = lease.changes();
    engine::Claim claim = lease.claim();
    claim.lease = entry->lease_to_ask(claim.lease, ttl, now);
    renewals_.push_back({id, {lease.bound(), claim}, changes});
  }
}

void RenewalCall::ask(engine::Session& session) {
  refs_.reserve(renewals_.size());
  gone_.reserve(renewals_.size());
  for (const Renewal& each : renewals_) {
    refs_.push_back({&each.claim.bound->resource(), &each.claim.claim});
  }
  sent_ = Clock::now();
  auto outcome =
      base::ask_engine([&] { return session.renew(refs_, sent_ + plan_.limit); });
  ended_ = Clock::now();
  answered_ = outcome.has_value();
  if (!answered_) last_error_ = std::move(outcome).error();
}

void RenewalCall::settle(RenewalSchedule& schedule) noexcept {
  for (std::size_t i = 0; i < refs_.size(); ++i) {
    if (answered_) {
      settle(schedule, renewals_[i], refs_[i]);
    } else {
      note_failure(renewals_[i]);
      schedule.failed(renewals_[i].id, plan_.answer_due, ended_);
    }
  }
}

void RenewalCall::settle(RenewalSchedule& schedule, const Renewal& renewal,
                         const engine::ClaimRef& ref) noexcept {
  const auto id = renewal.id;
  const auto* const entry = schedule.find(id);
  if (entry == nullptr) return;
  Lease& lease = *entry->target;
  if (ref.outcome == Errc::not_held) {
    if (lease.changes() == renewal.changes) {
      gone_.push_back(id);
    } else {
      schedule.postponed(id, plan_.answer_due, ended_);
    }
    return;
  }
  if (ref.outcome) {
    last_error_ = Failure(ref.outcome);
    note_failure(renewal);
    schedule.failed(id, plan_.answer_due, ended_);
    return;
  }
  if (entry->deadline() != Time::max()) {
    slack_ = std::min<engine::LeaseTime>(slack_, entry->deadline() - ended_);
  }
  ++renewed_;
  schedule.renewed(id, plan_.answer_due, sent_, ref.granted.lease);
  lease.extend(entry->sent, entry->lease, entry->deadline());
}

void RenewalCall::note_failure(const Renewal& renewal) noexcept {
  ++failures_;
  failed_name_ = renewal.claim.bound->name();
}

std::string RenewalCall::explain() const {
  const std::string why = last_error_->message();
  if (failures_ == 0) {
    return "the session could not be kept alive: " + why +
           "; this is repeated until it is answered";
  }
  const std::size_t others = failures_ - 1;
  return "the lease of " + base::in_quotes(failed_name_) +
         (others > 0 ? " and of " + std::to_string(others) + " more" : "") +
         " could not be renewed: " + why + "; this is repeated until the lease is over";
}

}  // namespace holdfast::core
