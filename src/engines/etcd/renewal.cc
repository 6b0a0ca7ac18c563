#include "engines/etcd/renewal.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "engines/etcd/claims.h"

namespace holdfast::etcd {
namespace {

constexpr std::size_t kMost = kMostConditions;

struct Look {
  engine::ClaimRef* ref;
  Standing standing;
};

ClaimsResource& resource_of(const engine::ClaimRef& ref) {
  return *static_cast<ClaimsResource*>(ref.resource);
}

void lose(const Look& look) { look.ref->outcome = make_error_code(Errc::not_held); }

bool lacks_its_time(const Look& look) {
  return look.standing.time_written != TimeWritten::yes;
}

// A claim that is held for so long is listened to, and its grant time is written.
// Nothing: it is not held under this lease, or is being dropped.
std::optional<Standing> begin(Backend& backend, const engine::ClaimRef& ref,
                              std::int64_t lease) {
  Places& places = resource_of(ref).places();
  auto standing = places.held(ref.claim->ticket);
  if (!standing || standing->under != lease) return std::nullopt;
  if (standing->own != nullptr) return standing;
  auto own = backend.watches().listen({.key = standing->key}, {backend.alarm()});
  // Otherwise an end between the look and the watch would not be told.
  own->ring_when_open();
  standing->own = own;
  const bool held = places.update_held(ref.claim->ticket, [&](Standing& present) {
    present.own.swap(own);
    present.time_written = std::max(present.time_written, TimeWritten::maybe);
  });
  return held ? standing : std::nullopt;
}

Txn question(std::span<const Look> looks, bool write_times) {
  Txn txn;
  for (const Look& each : looks) {
    const Standing& standing = each.standing;
    txn.if_created(standing.key, standing.revision);
    if (write_times && lacks_its_time(each)) {
      txn.then().put(resource_of(*each.ref).grant_times().key_of(standing.revision),
                     GrantTimes::text_of(standing.since), standing.under);
    }
    wire::RangeRequest range;
    range.set_key(standing.key);
    range.set_keys_only(true);
    txn.otherwise().range(std::move(range));
  }
  return txn;
}

// All are as they were, or each is looked at. Errc::not_held: the lease is over.
Result<void> look_at(Backend& backend, std::span<const Look> looks,
                     engine::Deadline until) {
  bool write_times = std::ranges::any_of(looks, lacks_its_time);
  const auto ask = [&] {
    return backend.txn(question(looks, write_times).request(),
                       looks.front().standing.under, until);
  };
  auto answer = ask();
  const auto refused = [&](Errc why) { return !answer && answer.error().code == why; };
  if (write_times && (refused(Errc::full) || refused(Errc::denied))) {
    // A hold must not be lost for what only observers want to know.
    write_times = false;
    answer = ask();
  }
  if (!answer) return answer.error();
  if (answer->succeeded()) {
    for (const Look& each : looks) {
      if (!write_times || !lacks_its_time(each)) continue;
      resource_of(*each.ref).places().update_held(
          each.ref->claim->ticket,
          [](Standing& present) { present.time_written = TimeWritten::yes; });
    }
    return {};
  }
  for (std::size_t i = 0; i < looks.size(); ++i) {
    const wire::KeyValue* const kv = found(*answer, static_cast<int>(i));
    if (kv == nullptr || kv->create_revision() != looks[i].standing.revision) {
      lose(looks[i]);
    }
  }
  return {};
}

Result<void> look_at_all(Backend& backend, std::span<const Look> looks,
                         engine::Deadline until) {
  while (!looks.empty()) {
    const auto some = looks.first(std::min(kMost, looks.size()));
    if (auto done = look_at(backend, some, until); !done) return done;
    looks = looks.subspan(some.size());
  }
  return {};
}

}  // namespace

Result<void> renew_all(Backend& backend, std::span<engine::ClaimRef> refs,
                       engine::Deadline until) {
  const auto asked = backend.lease().ask_for_more();
  std::vector<Look> looks;
  for (engine::ClaimRef& ref : refs) {
    ref.outcome = {};
    if (auto standing = begin(backend, ref, asked.id)) {
      looks.push_back({&ref, *std::move(standing)});
    } else {
      ref.outcome = make_error_code(Errc::not_held);
    }
  }
  if (looks.empty()) return {};
  auto alive = look_at_all(backend, looks, until);
  if (alive) alive = backend.lease().wait_for_more(asked, until);
  if (!alive) {
    if (alive.error().code != Errc::not_held) return alive;
    std::ranges::for_each(looks, lose);  // the lease is over
  }
  for (engine::ClaimRef& ref : refs) {
    ref.granted.lease = backend.lease().left(asked.id, asked.at, ref.claim->lease);
  }
  return {};
}

}  // namespace holdfast::etcd
