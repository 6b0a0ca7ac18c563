#include "engines/etcd/semaphore.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <utility>

#include "base/common_failures.h"
#include "engines/etcd/errors.h"
#include "engines/etcd/register_text.h"

namespace holdfast::etcd {

using engine::Claim;
using engine::Deadline;
using engine::Granted;

namespace {

// In the answers, after the claim's own key.
constexpr int kPermitQueue = 1;
constexpr int kSemaphoreName = 2;
constexpr std::size_t kNoLimit = 1'000'000;

std::string permit_claim_text(std::uint32_t permits, std::string_view payload) {
  return std::to_string(permits).append(" ").append(payload);
}

// How many claims must end at least before `excess` permits are free.
std::size_t fewest_ends(std::vector<std::uint64_t> ahead, std::uint64_t excess) {
  std::sort(ahead.begin(), ahead.end(), std::greater<>());
  std::size_t ends = 0;
  for (std::uint64_t freed = 0; freed < excess && ends < ahead.size(); ++ends) {
    freed += ahead[ends];
  }
  return ends;
}

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

SemaphoreResource::SemaphoreResource(std::shared_ptr<Backend> backend, std::string key)
    : ClaimResource(std::move(backend), std::move(key), engine::Kind::semaphore),
      permits_(this->backend(), below() + "permits", RegisterFormat::permits) {}

std::string SemaphoreResource::new_key(std::int64_t lease, const Claim& claim) {
  return below() + "claims/" + id_of(lease, claim.ticket);
}

std::string SemaphoreResource::value_of(const Claim& claim) const {
  return permit_claim_text(claim.permits, payload_of(claim));
}

void SemaphoreResource::add_queries(Txn::Branch branch, const Claim&,
                                    std::int64_t revision) const {
  branch.range(in_order_below(below()));
  if (revision == 0) branch.get(key());
}

Result<ClaimResource::QueueSnapshot> SemaphoreResource::evaluate(
    const Claim& claim, ClaimState& state, const wire::TxnResponse& answer,
    Deadline until) {
  if (auto why = conflict_at_name(found(answer, kSemaphoreName)))
    return *std::move(why);
  QueueSnapshot snapshot;
  std::optional<PermitCount> count;
  std::vector<std::uint64_t> ahead;
  std::uint64_t sum = claim.permits;
  for (const wire::KeyValue& kv : ranged(answer, kPermitQueue).kvs()) {
    const KeyRole role = role_of(suffix_of(kv.key()));
    if (role == KeyRole::permits) count = read_permit_count(kv);
    const bool odd = role == KeyRole::permits && !count;
    if (odd || is_foreign(kv.key())) return used_by_another_kind(key());
    if (role != KeyRole::claim || kv.create_revision() >= state.revision) continue;
    ahead.push_back(read_permit_claim(kv.value()).permits);
    sum += ahead.back();
  }
  if (!count && claim.capacity > 0) {
    if (auto stored = store(claim.capacity, state, until); !stored) {
      return std::move(stored).error();
    }
    snapshot.read_again = true;
    return snapshot;
  }
  const std::uint64_t most = count.value_or(PermitCount()).permits;
  snapshot.admitted =
      sum <= most || state.revision <= count.value_or(PermitCount()).admitted_until;
  if (claim.permits > most && !snapshot.admitted) {
    return base::too_many_permits(key(), claim.permits,
                                  static_cast<std::int64_t>(most));
  }
  if (snapshot.admitted) {
    state.permits = claim.permits;
    return snapshot;
  }
  snapshot.ahead = ahead.size();
  snapshot.ends = fewest_ends(std::move(ahead), sum - most);
  snapshot.obstacle = {
      .key = below(), .end = end_of(below()), .what = WatchFor::changes};
  return snapshot;
}

// The transaction requires the claim that names the capacity, so that nothing is stored
// for a claim that has ended.
Result<void> SemaphoreResource::store(std::uint32_t capacity, const ClaimState& state,
                                      Deadline until) {
  const std::string key = below() + "permits";
  Txn txn;
  txn.if_created(key, 0);
  txn.if_created(state.key, state.revision);
  txn.then().put(key, register_text(RegisterFormat::permits, capacity));
  const auto answer = backend().calls().txn(txn.request(), until);
  if (!answer) return answer.error();
  return {};
}

Result<Granted> SemaphoreResource::amend(const Claim& held, const Claim& wanted,
                                         Deadline until) {
  const auto asked = Clock::now();
  const auto state = held_state(held);
  if (!state) return state.error();
  if (wanted.permits > (*state)->permits) {
    return base::cannot_grow(key());
  }
  auto done =
      rewrite(**state, permit_claim_text(wanted.permits, payload_of(wanted)), until);
  if (!done) return std::move(done).error();
  (*state)->permits = wanted.permits;
  return granted(wanted, **state, asked);
}

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
