// SPDX-License-Identifier: Apache-2.0

#include "engines/local/resource.h"

#include <utility>

#include "engines/local/barging.h"
#include "engines/local/listing.h"
#include "engines/local/memory/liveness_fd.h"
#include "engines/local/queue.h"
#include "engines/local/wakeups.h"

namespace holdfast::local {

using engine::Claim;
using engine::Granted;
using engine::Kind;
using engine::Verdict;

namespace {

bool is_plain(const Claim& claim) {
  return claim.mode == engine::Mode::exclusive && claim.permits == 1 &&
         (claim.lease == engine::LeaseTime::zero() ||
          claim.lease == engine::kNoLease) &&
         claim.payload.empty() && !claim.token;
}

}  // namespace

LocalResource::LocalResource(std::shared_ptr<ProcessSlot> process,
                             const engine::Address& address, RecordRef ref)
    : plain_kind_(address.kind == Kind::mutex || address.kind == Kind::fair_mutex),
      barges_(address.kind == Kind::mutex),
      record_(std::move(process), address, ref) {}

// A free lock is taken by one compare-and-swap of the record's word. What else may have
// to be done is in functions of its own, which keeps this one short.
Result<Verdict> LocalResource::attempt(const Claim& claim, const engine::Waker& waker,
                                       engine::Deadline until) {
  if (!record_.process()->present()) return record_.process()->why_absent();
  if (!plain_kind_ || !is_plain(claim)) {
    return Queue(record_).attempt(claim, waker, until);
  }
  const RecordRef ref = record_.ref();
  auto& record = record_.record_at(ref);
  const auto mine = record_.word_of(claim);
  auto word = free_word(ref.generation);
  if (!record.word.cas(word, mine)) {
    return attempt_crowded(claim, waker, until, word);
  }
  const FencingToken token{record.token.fetch_add(1) + 1};
  record.since.store(wall_seconds());
  // A claim with a waker may have been passed over; no claim has waited since.
  if (waker != nullptr) Queue(record_).forget(claim);
  // If the claim was evicted between the two steps, the new holder may have a token
  // below ours, so the claim counts as not granted.
  if (without_flags(record.word.load()) == mine) return Verdict(Granted{token});
  return Queue(record_).attempt(claim, waker, until);
}

// The lock was not free, or claims wait for it: its word was `word`.
Result<Verdict> LocalResource::attempt_crowded(const Claim& claim,
                                               const engine::Waker& waker,
                                               engine::Deadline until,
                                               std::uint64_t word) {
  const RecordRef ref = record_.ref();
  auto& record = record_.record_at(ref);
  const auto mine = record_.word_of(claim);
  if (without_flags(word) == mine) {
    return Verdict(Granted{FencingToken{record.token.load()}});
  }
  if (waker == nullptr) {
    // An attempt with a waker may have an entry in the queue, which only it can leave.
    if (barges_ && word == (free_word(ref.generation) | kWordFlags) &&
        record.word.cas(word, mine | kWordFlags)) {
      const FencingToken token{record.token.fetch_add(1) + 1};
      record.since.store(wall_seconds());
      if (without_flags(record.word.load()) == mine) return Verdict(Granted{token});
    } else if (word_slot(word) != 0 && record.generation.load() == ref.generation &&
               !claims_ended(record_.segment(), word_session(word))) {
      return Verdict(engine::Blocked{kRetry});
    }
  }
  return Queue(record_).attempt(claim, waker, until);
}

Result<void> LocalResource::drop(const Claim& claim, engine::Deadline until) {
  if (plain_kind_) {
    const RecordRef ref = record_.ref();
    auto word = record_.word_of(claim);
    if (record_.record_at(ref).word.cas(word, free_word(ref.generation))) return {};
    if (give_back_open(claim, word)) return {};
  }
  return Queue(record_).drop(claim, until);
}

// Frees an open lock. Returns whether it did: otherwise the claim does not have the
// lock in this way, or the lock must be handed over.
bool LocalResource::give_back_open(const Claim& claim, std::uint64_t word) noexcept {
  const RecordRef ref = record_.ref();
  auto& record = record_.record_at(ref);
  return word == (record_.word_of(claim) | kWordFlags) && !head_is_due(record) &&
         record.word.cas(word, free_word(ref.generation) | kWordFlags);
}

Result<Granted> LocalResource::amend(const Claim& held, const Claim& wanted,
                                     engine::Deadline until) {
  return Queue(record_).amend(held, wanted, until);
}

Result<Granted> LocalResource::renew(const Claim& claim, engine::Deadline until) {
  return Queue(record_).renew(claim, until);
}

Result<engine::Watch> LocalResource::watch(const engine::Waker& waker,
                                           engine::Deadline until) {
  return watch_record(record_, waker, until);
}

Result<std::vector<engine::Entry>> LocalResource::survey(std::size_t limit,
                                                         engine::Deadline until) {
  return survey_claims(record_, limit, until);
}

// The session is told that the claim was taken from it.
Result<void> LocalResource::evict(std::string_view owner, engine::Deadline until) {
  return record_.under_guard<void>(until, [&](RecordGuard& guard) -> Result<void> {
    const auto word = guard.owner();
    if (word != 0 &&
        owner_of(record_.segment(), word_slot(word), word_ticket(word)) == owner) {
      guard.clear_owner();
      guard.alarm(word_slot(word));
      guard.admit();
      return {};
    }
    for (BlockIndex u = guard.record().first.load(); u != 0;
         u = guard.claim(u).next.load()) {
      const auto& claim = guard.claim(u);
      if (owner_of(record_.segment(), claim.block.owner.load(), claim.ticket.load()) !=
          owner)
        continue;
      guard.remove(u);
      guard.end(u);
      guard.admit();
      return {};
    }
    return Failure(Errc::not_held, record_.quoted() + " is not held by " +
                                       std::string(owner) +
                                       ": `holdfast show` tells who holds it now");
  });
}

}  // namespace holdfast::local
