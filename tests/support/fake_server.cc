#include "support/fake_server.h"

#include <algorithm>

#include "holdfast/timeout.h"

namespace holdfast::test {

using namespace std::chrono_literals;
using engine::Address;
using engine::Claim;
using engine::Granted;
using engine::Kind;
using engine::Ticket;
using Time = Clock::time_point;

namespace {

constexpr std::chrono::nanoseconds kRecheck = 1s;

Time later(engine::Lease span) { return Timeout(span).deadline(); }

}  // namespace

FakeServer::Client FakeServer::join(const engine::SessionOptions& options) {
  const std::lock_guard lock(mutex_);
  guests_[++last_client_] = {options, {}};
  return last_client_;
}

void FakeServer::leave(Client client) {
  const std::lock_guard lock(mutex_);
  for (auto& [key, node] : nodes_) {
    std::erase_if(node.queue, [&](const Place& p) { return p.client == client; });
    ring(node, key.second);
  }
  guests_.erase(client);
}

Result<FakeServer::Node*> FakeServer::visit(const Address& address) {
  for (auto it = nodes_.lower_bound({address.name, Kind{}});
       it != nodes_.end() && it->first.first == address.name; ++it) {
    expire(it->second, {it->first.second, address.name});
    if (it->first.second != address.kind && it->second.live()) return Errc::wrong_kind;
  }
  return &nodes_[{address.name, address.kind}];
}

void FakeServer::expire(Node& node, const Address& address) {
  const Time now = Clock::now();
  if (std::erase_if(node.queue, [&](const Place& p) { return p.end <= now; }) > 0) {
    ring(node, address.kind);
  }
}

bool FakeServer::admitted(const Node& node, Kind kind, std::size_t index) const {
  std::vector<engine::Place> places;
  for (const Place& p : node.queue) places.push_back({p.mode, p.permits, p.granted});
  const auto capacity =
      kind == Kind::double_barrier
          ? node.parties
          : static_cast<std::uint32_t>(node.value ? node.value->number : 0);
  return engine::admits(kind, capacity, places, index);
}

void FakeServer::ring(Node& node, Kind kind) {
  for (std::size_t i = 0; i < node.queue.size(); ++i) {
    const Place& place = node.queue[i];
    if (!place.granted && place.waker != nullptr && admitted(node, kind, i)) {
      place.waker->ring();
    }
  }
  std::erase_if(node.watches, [](const auto& watch) { return watch.expired(); });
  for (const auto& watch : node.watches) {
    if (const auto waker = watch.lock()) (*waker)->ring();
  }
}

FakeServer::Place* FakeServer::find(Node& node, Client client, Ticket ticket) {
  for (Place& place : node.queue) {
    if (place.client == client && place.ticket == ticket) return &place;
  }
  return nullptr;
}

engine::Lease FakeServer::lease_of(Client client, const Claim& claim) const {
  if (claim.lease.count() != 0) return claim.lease;
  return traits_.leased ? guests_.at(client).options.ttl : engine::kNoLease;
}

void FakeServer::grant(Place& place) {
  place.granted = true;
  place.waker = nullptr;
  place.token = {last_token_ + 1};
  last_token_ += place.tokens;
  place.since = std::chrono::system_clock::now();
  place.end = later(place.lease);
}

Granted FakeServer::facts(const Place& place) const {
  const bool endless = place.end == Time::max();
  return {place.token, place.tokens,
          endless ? engine::kNoLease : place.end - Clock::now()};
}

std::chrono::nanoseconds FakeServer::retry_after(const Node& node) const {
  std::chrono::nanoseconds span = kRecheck;
  for (const Place& place : node.queue) {
    if (place.end != Time::max()) {
      span = std::min<std::chrono::nanoseconds>(span, place.end - Clock::now());
    }
  }
  return std::max<std::chrono::nanoseconds>(span, 1ms);
}

Result<engine::Verdict> FakeServer::attempt(Client client, const Address& address,
                                            const Claim& claim,
                                            const engine::Waker& waker) {
  const std::lock_guard lock(mutex_);
  const auto visited = visit(address);
  if (!visited) return visited.error();
  Node& node = **visited;
  if (!guests_.contains(client)) return Errc::closed;
  Guest& guest = guests_.at(client);
  if (guest.dropped.contains(claim.ticket)) return Errc::not_held;

  if (address.kind == Kind::semaphore) {
    if (!node.value && claim.capacity > 0) change(node, claim.capacity);
    if (!node.value || claim.permits > node.value->number) {
      return Failure(Errc::bad_argument, "more permits than there are");
    }
  }
  if (address.kind == Kind::double_barrier) node.parties = claim.capacity;

  Place* place = find(node, client, claim.ticket);
  if (place == nullptr) {
    const auto payload = claim.payload.empty() ? guest.options.payload : claim.payload;
    node.queue.push_back({client, claim.ticket, claim.mode, claim.permits,
                          std::string(payload), nullptr, Time::max(),
                          lease_of(client, claim),
                          reserves_tokens_ ? std::max(claim.tokens, 1u) : 1});
    place = &node.queue.back();
    if (address.kind == Kind::double_barrier) ring(node, address.kind);
  }
  if (place->granted) return engine::Verdict(facts(*place));

  const auto index = static_cast<std::size_t>(
      std::find_if(node.queue.begin(), node.queue.end(),
                   [&](const Place& p) { return &p == place; }) -
      node.queue.begin());
  if (admitted(node, address.kind, index)) {
    grant(*place);
    if (address.kind == Kind::double_barrier) {  // together or not at all
      for (Place& other : node.queue) {
        if (other.granted) continue;
        const auto bell = other.waker;
        grant(other);
        if (bell != nullptr) bell->ring();
      }
    }
    const engine::Verdict granted = facts(*place);
    ring(node, address.kind);
    return granted;
  }
  if (waker == nullptr) {
    node.queue.erase(node.queue.begin() + static_cast<std::ptrdiff_t>(index));
    ring(node, address.kind);
    return engine::Verdict(engine::Blocked{retry_after(node)});
  }
  place->waker = waker;
  place->end = traits_.leased ? later(guest.options.ttl) : Time::max();
  const auto pause =
      std::min<std::chrono::nanoseconds>(retry_after(node), guest.options.ttl / 3);
  return engine::Verdict(engine::Blocked{pause});
}

Result<Granted> FakeServer::amend(Client client, const Address& address,
                                  const Claim& held, const Claim& wanted) {
  const std::lock_guard lock(mutex_);
  const auto visited = visit(address);
  if (!visited) return visited.error();
  Place* const place = find(**visited, client, held.ticket);
  if (place == nullptr || !place->granted) return Errc::not_held;
  const bool grows =
      wanted.permits > place->permits ||
      (wanted.mode == engine::Mode::exclusive && place->mode == engine::Mode::shared);
  if (grows) return Errc::unsupported;
  place->mode = wanted.mode;
  place->permits = wanted.permits;
  if (!wanted.payload.empty()) place->payload = wanted.payload;
  place->end = later(lease_of(client, wanted));
  const Granted granted = facts(*place);
  ring(**visited, address.kind);
  return granted;
}

Result<Granted> FakeServer::renew(Client client, const Address& address,
                                  const Claim& claim) {
  const std::lock_guard lock(mutex_);
  const auto visited = visit(address);
  if (!visited) return visited.error();
  Place* const place = find(**visited, client, claim.ticket);
  if (place == nullptr || !place->granted) return Errc::not_held;
  place->end = later(lease_of(client, claim));
  return facts(*place);
}

Result<void> FakeServer::drop(Client client, const Address& address,
                              const Claim& claim) {
  const std::lock_guard lock(mutex_);
  const auto visited = visit(address);
  if (!visited) return visited.error();
  Node& node = **visited;
  if (!guests_.contains(client)) return Errc::closed;
  guests_.at(client).dropped.insert(claim.ticket);
  const auto found = find(node, client, claim.ticket);
  if (found == nullptr) return Errc::not_held;
  std::erase_if(node.queue, [&](const Place& p) { return &p == found; });
  ring(node, address.kind);
  return {};
}

}  // namespace holdfast::test
