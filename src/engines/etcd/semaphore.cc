#include "engines/etcd/semaphore.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <utility>

#include "base/common_failures.h"
#include "engines/etcd/cell.h"
#include "engines/etcd/status.h"

namespace holdfast::etcd {

using engine::Claim;
using engine::Deadline;
using engine::Granted;

namespace {

// In the answers, behind the place itself.
constexpr int kLine = 1;
constexpr int kRegister = 2;
constexpr std::size_t kEverybody = 1'000'000;

std::string write_share(std::uint32_t permits, std::string_view payload) {
  return std::to_string(permits).append(" ").append(payload);
}

// So many must end at least before there is room.
std::size_t fewest_ends(std::vector<std::uint64_t> ahead, std::uint64_t excess) {
  std::sort(ahead.begin(), ahead.end(), std::greater<>());
  std::size_t ends = 0;
  for (std::uint64_t freed = 0; freed < excess && ends < ahead.size(); ++ends) {
    freed += ahead[ends];
  }
  return ends;
}

}  // namespace

Share read_share(const std::string& value) {
  Share share;
  const char* const end = value.data() + value.size();
  const auto [rest, error] = std::from_chars(value.data(), end, share.permits);
  if (error != std::errc{} || share.permits == 0) return {1, value};
  if (rest != end) share.payload.assign(rest + 1, end);
  return share;
}

std::optional<Stock> read_stock(const wire::KeyValue& permits) {
  const auto value = read_cell(Layout::permits, &permits);
  if (!value) return std::nullopt;
  return Stock{.permits = static_cast<std::uint32_t>(
                   std::clamp<std::int64_t>(value->number, 0, UINT32_MAX)),
               .in_until = read_note(permits.value())};
}

SemaphoreResource::SemaphoreResource(std::shared_ptr<Backend> backend, std::string key)
    : ClaimsResource(std::move(backend), std::move(key), engine::Kind::semaphore),
      permits_(this->backend(), below() + "permits", Layout::permits) {}

std::string SemaphoreResource::new_key(std::int64_t lease, const Claim& claim) {
  return below() + "claims/" + id_of(lease, claim.ticket);
}

std::string SemaphoreResource::value_of(const Claim& claim) const {
  return write_share(claim.permits, payload_of(claim));
}

void SemaphoreResource::ask(Txn::Branch branch, const Claim&,
                            std::int64_t revision) const {
  branch.range(in_order_below(below()));
  if (revision == 0) branch.get(key());
}

Result<ClaimsResource::View> SemaphoreResource::judge(const Claim& claim, Place& place,
                                                      const wire::TxnResponse& answer,
                                                      Deadline until) {
  if (auto why = objection(found(answer, kRegister))) return *std::move(why);
  View view;
  std::optional<Stock> stock;
  std::vector<std::uint64_t> ahead;
  std::uint64_t sum = claim.permits;
  for (const wire::KeyValue& kv : ranged(answer, kLine).kvs()) {
    const Sort sort = sort_of(rest_of(kv.key()));
    if (sort == Sort::permits) stock = read_stock(kv);
    const bool odd = sort == Sort::permits && !stock;
    if (odd || is_foreign(kv.key())) return used_by_another_kind(key());
    if (sort != Sort::claim || kv.create_revision() >= place.revision) continue;
    ahead.push_back(read_share(kv.value()).permits);
    sum += ahead.back();
  }
  if (!stock && claim.capacity > 0) {
    if (auto stored = store(claim.capacity, place, until); !stored) {
      return std::move(stored).error();
    }
    view.again = true;
    return view;
  }
  const std::uint64_t most = stock.value_or(Stock()).permits;
  view.come = sum <= most || place.revision <= stock.value_or(Stock()).in_until;
  if (claim.permits > most && !view.come) {
    return base::too_many_permits(key(), claim.permits,
                                  static_cast<std::int64_t>(most));
  }
  if (view.come) {
    place.permits = claim.permits;
    return view;
  }
  view.ahead = ahead.size();
  view.ends = fewest_ends(std::move(ahead), sum - most);
  view.obstacle = {
      .key = below(), .end = end_of(below()), .what = Watches::What::changes};
  return view;
}

// For as long as the claim is there that names it: nothing is stored for one that is
// gone.
Result<void> SemaphoreResource::store(std::uint32_t capacity, const Place& place,
                                      Deadline until) {
  const std::string key = below() + "permits";
  Txn txn;
  txn.if_created(key, 0);
  txn.if_created(place.key, place.revision);
  txn.then().put(key, write_cell(Layout::permits, capacity));
  const auto answer = backend().calls().txn(txn.request(), until);
  if (!answer) return answer.error();
  return {};
}

Result<Granted> SemaphoreResource::amend(const Claim& held, const Claim& wanted,
                                         Deadline until) {
  const auto asked = Clock::now();
  const auto place = held_place(held);
  if (!place) return place.error();
  if (wanted.permits > (*place)->permits) {
    return base::cannot_grow(key());
  }
  auto done = rewrite(**place, write_share(wanted.permits, payload_of(wanted)), until);
  if (!done) return std::move(done).error();
  (*place)->permits = wanted.permits;
  return granted(wanted, **place, asked);
}

Result<engine::Value> SemaphoreResource::load(Deadline until) {
  return permits_.load(until);
}

// Who is in stays in when there are fewer permits than before.
Result<std::string> SemaphoreResource::note_who_is_in(Deadline until) {
  const auto entries = survey(kEverybody, until);
  if (!entries) return entries.error();
  std::uint64_t last = 0;
  for (const engine::Entry& each : *entries) {
    if (each.granted) last = std::max(last, each.token.value);
  }
  return last != 0 ? " " + std::to_string(last) : "";
}

Result<engine::Value> SemaphoreResource::add(std::int64_t by, engine::Ticket ticket,
                                             Deadline until) {
  const auto note = note_who_is_in(until);
  if (!note) return note.error();
  return permits_.add(by, ticket, until, *note);
}

Result<engine::Exchanged> SemaphoreResource::exchange(const engine::Value& from,
                                                      std::optional<std::int64_t> to,
                                                      engine::Ticket ticket,
                                                      Deadline until) {
  const auto note = note_who_is_in(until);
  if (!note) return note.error();
  return permits_.exchange(from, to, ticket, until, *note);
}

}  // namespace holdfast::etcd
