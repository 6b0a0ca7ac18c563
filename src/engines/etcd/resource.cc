// SPDX-License-Identifier: Apache-2.0

#include "engines/etcd/resource.h"

#include <utility>

#include "engines/etcd/listing.h"
#include "engines/etcd/lost_claims.h"
#include "engines/etcd/names.h"
#include "engines/etcd/transport/txn.h"

namespace holdfast::etcd {

using namespace std::chrono_literals;

namespace {

constexpr std::chrono::nanoseconds kLookAgain = 5s;

}  // namespace

EtcdResource::EtcdResource(std::shared_ptr<Backend> backend, std::string key)
    : backend_(std::move(backend)), key_(std::move(key)), below_(key_ + "/") {}

// The range begins at the key N and ends behind N/. It contains the keys of some other
// names that begin with N; their changes ring, too, and do no harm.
Result<engine::Watch> EtcdResource::watch(const engine::Waker& waker,
                                          engine::Deadline until) {
  struct ActiveWatch {
    std::shared_ptr<Backend> backend;
    std::shared_ptr<KeyWatch> watch;
  };
  auto active = std::make_shared<ActiveWatch>();
  active->backend = backend_;
  active->watch = backend_->watches().watch(
      {.key = key_, .end = end_of(below_), .what = WatchFor::all}, {waker});
  if (auto live = active->watch->wait(until); !live) return std::move(live).error();
  return engine::Watch{std::move(active), kLookAgain};
}

ClaimResource::ClaimResource(std::shared_ptr<Backend> backend,
                             std::unique_ptr<Queue> queue)
    : EtcdResource(std::move(backend), queue->key()), queue_(std::move(queue)) {}

Result<engine::Verdict> ClaimResource::attempt(const engine::Claim& claim,
                                               const engine::Waker& waker,
                                               engine::Deadline until) {
  return kit::ClaimMachine(*queue_).attempt(claim, waker, until);
}

Result<engine::Granted> ClaimResource::amend(const engine::Claim& held,
                                             const engine::Claim& wanted,
                                             engine::Deadline until) {
  auto amended = kit::ClaimMachine(*queue_).amend(held, wanted, until);
  if (!amended && amended.error().code == Errc::not_held) {
    LostClaims lost(backend());
    lost.add(*queue_, held.ticket);
    lost.clear_away();
  }
  return amended;
}

Result<void> ClaimResource::drop(const engine::Claim& claim, engine::Deadline until) {
  return kit::ClaimMachine(*queue_).drop(claim, until);
}

Result<std::vector<engine::Entry>> ClaimResource::survey(std::size_t limit,
                                                         engine::Deadline until) {
  return survey_claims(backend(), queue_->kind(), below(), queue_->grant_times(), limit,
                       until);
}

// Another claim may soon use the same key, so the removal names the revision at which
// the key was created.
Result<void> ClaimResource::evict(std::string_view owner, engine::Deadline until) {
  const std::string key = below() + std::string(owner);
  if (queue_->is_foreign(key) || !is_claim_key(role_of(owner))) return Errc::not_held;
  wire::RangeRequest range;
  range.set_key(key);
  range.set_keys_only(true);
  const auto seen = backend().calls().range(range, until);
  if (!seen) return seen.error();
  if (seen->kvs_size() == 0) return Errc::not_held;
  Txn txn;
  txn.if_created(key, seen->kvs(0).create_revision());
  txn.then().erase(key);
  const auto answer = backend().calls().txn(txn.request(), until);
  if (!answer) return answer.error();
  if (!answer->succeeded()) return Errc::not_held;
  return {};
}

}  // namespace holdfast::etcd
