// SPDX-License-Identifier: Apache-2.0

#include "engines/zookeeper/semaphore_view.h"

#include <utility>

namespace holdfast::zookeeper {

SemaphoreView::SemaphoreView(Backend& backend, std::string leases, std::string permits)
    : backend_(backend),
      leases_{std::move(leases), WatchFor::children},
      permits_{std::move(permits)} {}

std::shared_ptr<WatchSet> SemaphoreView::watch(What what, const engine::Waker& waker) {
  watch_permits_ = true;
  watch_leases_ = what == What::both;
  std::vector<WatchTarget> targets{permits_};
  if (watch_leases_) targets.push_back(leases_);
  return WatchSet::make(backend_.watches(), std::move(targets), waker);
}

void SemaphoreView::add_requests(Batch& batch) {
  if (watch_permits_) batch.exists(permits_.path, WatchRegistry::key(permits_));
  leases_index_ =
      batch.children(leases_.path, watch_leases_ ? WatchRegistry::key(leases_) : 0);
  permits_index_ = batch.get(permits_.path);
}

void SemaphoreView::read_answers(const Batch& batch) {
  is_read_ = true;
  leases_answer_ = batch[leases_index_];
  permits_answer_ = batch[permits_index_];
}

Result<bool> SemaphoreView::fetch(const ClaimState& state, engine::Deadline until) {
  Batch batch(backend_.sessions().handle(until));
  const auto own = batch.exists(state.node);
  add_requests(batch);
  if (auto done = batch.wait(until); !done) return std::move(done).error();
  read_answers(batch);
  return batch[own].ok() && batch[own].stat.ephemeralOwner == state.session;
}

}  // namespace holdfast::zookeeper
