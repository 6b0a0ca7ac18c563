// SPDX-License-Identifier: Apache-2.0

#include "engines/etcd/semaphore.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "engines/etcd/errors.h"
#include "engines/etcd/register_text.h"

namespace holdfast::etcd {

using engine::Claim;
using engine::Deadline;

namespace {

// The indexes of the responses in a transaction's answer, after the claim's own key.
constexpr int kPermitQueue = 1;
constexpr int kSemaphoreName = 2;
constexpr std::size_t kNoLimit = 1'000'000;

}  // namespace

PermitClaim read_permit_claim(const std::string& value) {
  PermitClaim claimed;
  const char* const end = value.data() + value.size();
  const auto [rest, error] = std::from_chars(value.data(), end, claimed.permits);
  if (error != std::errc{} || claimed.permits == 0) return {1, value};
  if (rest != end) claimed.payload.assign(rest + 1, end);
  return claimed;
}

std::optional<PermitCount> read_permit_count(const wire::KeyValue& permits) {
  const auto value = read_register(RegisterFormat::permits, &permits);
  if (!value) return std::nullopt;
  return PermitCount{.permits = static_cast<std::uint32_t>(
                         std::clamp<std::int64_t>(value->number, 0, UINT32_MAX)),
                     .admitted_until = read_note(permits.value())};
}

bool read_permit_queue(const wire::RangeResponse& keys, std::string_view below,
                       std::int64_t revision, std::uint32_t permits,
                       kit::QueueSnapshot& queue) {
  std::int64_t admitted_until = 0;
  for (const wire::KeyValue& kv : keys.kvs()) {
    const KeyRole role = role_of(std::string_view(kv.key()).substr(below.size()));
    if (!belongs(role, engine::Kind::semaphore)) return false;
    if (role == KeyRole::permits) {
      const auto count = read_permit_count(kv);
      if (!count) return false;
      queue.capacity = count->permits;
      admitted_until = count->admitted_until;
    }
    if (role != KeyRole::claim || kv.create_revision() >= revision) continue;
    queue.entries.push_back({.permits = read_permit_claim(kv.value()).permits});
  }
  queue.own = queue.entries.size();
  queue.entries.push_back({.permits = permits, .granted = revision <= admitted_until});
  return true;
}

std::string SemaphoreQueue::new_key(std::int64_t lease, const Claim& claim) {
  return below() + "claims/" + id_of(lease, claim.ticket);
}

std::string SemaphoreQueue::value_of(const Claim& claim) const {
  return std::to_string(claim.permits).append(" ").append(Queue::value_of(claim));
}

void SemaphoreQueue::add_queries(Txn::Branch branch, const Claim&,
                                 std::int64_t revision) const {
  branch.range(in_order_below(below()));
  if (revision == 0) branch.get(key());
}

Result<bool> SemaphoreQueue::read(const Claim& claim, const ClaimState& state,
                                  Snapshot& queue, Deadline) {
  const wire::TxnResponse& answer = queue.answer;
  if (auto why = conflict_at_name(found(answer, kSemaphoreName)))
    return *std::move(why);
  const bool good = read_permit_queue(ranged(answer, kPermitQueue), below(),
                                      state.revision, claim.permits, queue);
  if (!good) return used_by_another_kind(key());
  queue.retry_after = kit::pause_behind(queue.own);
  queue.obstacle = {.key = below(), .end = end_of(below()), .what = WatchFor::changes};
  return true;
}

// The transaction requires the claim that names the capacity, so that nothing is stored
// for a claim that has ended.
Result<kit::Capacity> SemaphoreQueue::set_capacity(const ClaimState& state,
                                                   const Claim& claim, Deadline until) {
  const std::string permits = below() + "permits";
  Txn txn;
  txn.if_created(permits, 0);
  txn.if_created(state.key, state.revision);
  txn.then().put(permits, register_text(RegisterFormat::permits, claim.capacity));
  const auto answer = backend().calls().txn(txn.request(), until);
  if (!answer) return answer.error();
  return answer->succeeded() ? kit::Capacity(claim.capacity) : kit::Capacity();
}

Result<void> SemaphoreQueue::rewrite(ClaimState& state, const Claim& wanted,
                                     Deadline until) {
  return write_value(state, value_of(wanted), until);
}

SemaphoreResource::SemaphoreResource(const std::shared_ptr<Backend>& backend,
                                     std::string key)
    : ClaimResource(backend,
                    std::make_unique<SemaphoreQueue>(*backend, std::move(key))),
      permits_(this->backend(), below() + "permits", RegisterFormat::permits) {}

Result<engine::Value> SemaphoreResource::load(Deadline until) {
  return permits_.load(until);
}

// A claim that is granted stays granted when the capacity shrinks. So the new capacity
// is stored with the revision of the last claim that is granted.
Result<std::string> SemaphoreResource::note_admitted(Deadline until) {
  const auto entries = survey(kNoLimit, until);
  if (!entries) return entries.error();
  std::uint64_t last = 0;
  for (const engine::Entry& each : *entries) {
    if (each.granted) last = std::max(last, each.token.value);
  }
  return last != 0 ? " " + std::to_string(last) : "";
}

Result<engine::Value> SemaphoreResource::add(std::int64_t by, engine::Ticket ticket,
                                             Deadline until) {
  const auto note = note_admitted(until);
  if (!note) return note.error();
  return permits_.add(by, ticket, until, *note);
}

Result<engine::Exchanged> SemaphoreResource::exchange(const engine::Value& from,
                                                      std::optional<std::int64_t> to,
                                                      engine::Ticket ticket,
                                                      Deadline until) {
  const auto note = note_admitted(until);
  if (!note) return note.error();
  return permits_.exchange(from, to, ticket, until, *note);
}

}  // namespace holdfast::etcd
