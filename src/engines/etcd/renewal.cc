#include "engines/etcd/renewal.h"

#include <utility>
#include <vector>

#include "engines/etcd/claims.h"

namespace holdfast::etcd {
namespace {

constexpr std::size_t kMost = kMostConditions;

struct Look {
  engine::Stake* stake;
  Standing standing;
};

Places& places_of(const engine::Stake& stake) {
  return static_cast<ClaimsResource*>(stake.resource)->places();
}

// All are as they were, or each is looked at.
Result<void> look_at(Backend& backend, std::span<const Look> looks,
                     engine::Deadline until) {
  Txn txn;
  for (const Look& each : looks) {
    txn.if_created(each.standing.key, each.standing.revision);
    wire::RangeRequest range;
    range.set_key(each.standing.key);
    range.set_keys_only(true);
    txn.otherwise().range(std::move(range));
  }
  const auto answer = backend.calls().txn(txn.request(), until);
  if (!answer) return answer.error();
  if (answer->succeeded()) return {};
  for (std::size_t i = 0; i < looks.size(); ++i) {
    const wire::KeyValue* const kv = found(*answer, static_cast<int>(i));
    if (kv == nullptr || kv->create_revision() != looks[i].standing.revision) {
      looks[i].stake->outcome = make_error_code(Errc::not_held);
    }
  }
  return {};
}

}  // namespace

Result<void> renew_all(Backend& backend, std::span<engine::Stake> stakes,
                       engine::Deadline until) {
  const auto asked = backend.lease().ask_for_more();
  std::vector<Look> looks;
  for (engine::Stake& stake : stakes) {
    stake.outcome = {};
    auto standing = places_of(stake).standing(stake.claim->ticket);
    if (!standing || standing->under != asked.id) {
      stake.outcome = make_error_code(Errc::not_held);
      continue;
    }
    if (standing->own == nullptr) {
      standing->own =
          backend.watches().listen({.key = standing->key}, {backend.alarm()});
      // Otherwise an end between the look below and the watch would not be told.
      standing->own->ring_when_open();
      places_of(stake).listened_to(stake.claim->ticket, standing->own);
    }
    looks.push_back({&stake, *std::move(standing)});
  }
  for (std::size_t from = 0; from < looks.size(); from += kMost) {
    const auto some =
        std::span(looks).subspan(from, std::min(kMost, looks.size() - from));
    if (auto done = look_at(backend, some, until); !done) return done;
  }
  if (looks.empty()) return {};
  if (auto alive = backend.lease().wait_for_more(asked, until); !alive) {
    if (alive.error().code != Errc::not_held) return alive;
    for (const Look& each : looks) {
      each.stake->outcome = make_error_code(Errc::not_held);
    }
  }
  for (engine::Stake& stake : stakes) {
    stake.granted.lease = backend.lease().left(asked.id, asked.at, stake.claim->lease);
  }
  return {};
}

}  // namespace holdfast::etcd
