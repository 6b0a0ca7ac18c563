// SPDX-License-Identifier: Apache-2.0

#include "engines/etcd/lost_claims.h"

#include <chrono>
#include <utility>

#include "engines/etcd/transport/txn.h"

namespace holdfast::etcd {
namespace {

using namespace std::chrono_literals;

constexpr auto kClearingTime = 250ms;

}  // namespace

// The key of a claim that is gone is not there, or another client's. If no request can
// create it any more, another claim may use it.
void LostClaims::add(Queue& queue, engine::Ticket ticket) {
  auto lost = queue.claims().lose(ticket);
  if (!lost || queue.is_over(lost->held.session_id)) return;
  if (!lost->state->may_exist) {
    backend_.keys_in_use().give_back(lost->held.session_id, lost->held.key);
    if (lost->held.time_written == TimeWritten::no) return;
  }
  rests_.push_back({&queue, ticket, *std::move(lost)});
}

void LostClaims::clear_away() {
  const auto until = Clock::now() + kClearingTime;
  Txn times;
  int count = 0;
  const auto send = [&] {
    if (count == 0) return;
    (void)backend_.calls().txn(times.request(), until);
    times = Txn();
    count = 0;
  };
  for (const Rest& each : rests_) {
    const HeldClaim& held = each.claim.held;
    if (each.claim.state->may_exist) {
      (void)each.queue->remove(*each.claim.state, each.ticket, held, until);
      continue;
    }
    times.then().erase(each.queue->grant_times().key_of(held.revision));
    if (++count == kMostConditions) send();
  }
  send();
  rests_.clear();
}

}  // namespace holdfast::etcd
