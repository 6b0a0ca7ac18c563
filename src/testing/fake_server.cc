// SPDX-License-Identifier: Apache-2.0

#include "testing/fake_server.h"

#include <algorithm>

#include "holdfast/timeout.h"
#include "testing/fake_failures.h"

namespace holdfast::test {

using engine::Address;
using engine::Claim;
using engine::Granted;
using engine::Kind;
using engine::Ticket;
using Time = Clock::time_point;

namespace {

Time later(engine::LeaseTime span) { return Timeout(span).deadline(); }

bool is_too_far_ahead(const Claim& claim) {
  const auto latest = std::chrono::system_clock::now() + engine::kTokensAhead;
  const auto span =
      std::chrono::floor<std::chrono::microseconds>(latest.time_since_epoch());
  return claim.token.value > static_cast<std::uint64_t>(span.count());
}

}  // namespace

FakeServer::Client FakeServer::join(const engine::SessionOptions& options) {
  const std::lock_guard lock(mutex_);
  guests_[++last_client_] = {options, {}};
  return last_client_;
}

void FakeServer::leave(Client client) {
  const std::lock_guard lock(mutex_);
  for (auto& [key, node] : nodes_) {
    std::erase_if(node.queue, [&](const StoredClaim& p) { return p.client == client; });
    ring(node, key.second);
  }
  guests_.erase(client);
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
  if (guest.dropped.contains(claim.ticket)) return was_given_up(address);

  if (address.kind == Kind::semaphore) {
    if (!node.value && claim.capacity > 0) change(node, claim.capacity);
    const std::int64_t capacity = node.value ? node.value->number : 0;
    if (claim.permits > capacity) {
      return too_many_permits(address, claim.permits, capacity);
    }
  }
  if (address.kind == Kind::double_barrier) node.parties = claim.capacity;
  if (traits_.grants_named_tokens && is_too_far_ahead(claim)) {
    return token_too_far_ahead(address);
  }

  StoredClaim* stored = find(node, client, claim.ticket);
  if (stored == nullptr) {
    const auto payload = claim.payload.empty() ? guest.options.payload : claim.payload;
    node.queue.push_back({client, claim.ticket, claim.mode, claim.permits,
                          std::string(payload), nullptr, Time::max(),
                          lease_of(client, claim),
                          reserves_tokens_ ? std::max(claim.tokens, 1u) : 1});
    stored = &node.queue.back();
    if (address.kind == Kind::double_barrier) ring(node, address.kind);
  }
  if (stored->granted) return engine::Verdict(facts(*stored));

  const auto index = static_cast<std::size_t>(
      std::find_if(node.queue.begin(), node.queue.end(),
                   [&](const StoredClaim& p) { return &p == stored; }) -
      node.queue.begin());
  const bool fits = admitted(node, address.kind, index);
  const bool is_named = traits_.grants_named_tokens && claim.token;
  if (fits && is_named && !engine::passes(claim, {last_token_})) {
    node.queue.erase(node.queue.begin() + static_cast<std::ptrdiff_t>(index));
    return engine::Verdict(engine::TokenBehind{{last_token_}});
  }
  if (fits) {
    if (is_named) stored->token = claim.token;
    grant(*stored);
    // All parties enter together or not at all.
    if (address.kind == Kind::double_barrier) {
      for (StoredClaim& other : node.queue) {
        if (other.granted) continue;
        const auto bell = other.waker;
        grant(other);
        if (bell != nullptr) bell->ring();
      }
    }
    const engine::Verdict granted = facts(*stored);
    ring(node, address.kind);
    return granted;
  }
  if (waker == nullptr) {
    node.queue.erase(node.queue.begin() + static_cast<std::ptrdiff_t>(index));
    ring(node, address.kind);
    return engine::Verdict(engine::Blocked{retry_after(node)});
  }
  stored->waker = waker;
  stored->end = traits_.leased ? later(guest.options.ttl) : Time::max();
  const auto pause =
      std::min<std::chrono::nanoseconds>(retry_after(node), guest.options.ttl / 3);
  return engine::Verdict(engine::Blocked{pause});
}

Result<Granted> FakeServer::amend(Client client, const Address& address,
                                  const Claim& held, const Claim& wanted) {
  const std::lock_guard lock(mutex_);
  const auto visited = visit(address);
  if (!visited) return visited.error();
  StoredClaim* const stored = find(**visited, client, held.ticket);
  if (stored == nullptr || !stored->granted) return Errc::not_held;
  if (wanted.mode == engine::Mode::exclusive && stored->mode == engine::Mode::shared) {
    return reader_cannot_write(address);
  }
  if (wanted.permits > stored->permits) return cannot_grow(address);
  stored->mode = wanted.mode;
  stored->permits = wanted.permits;
  if (!wanted.payload.empty()) stored->payload = wanted.payload;
  stored->end = later(lease_of(client, wanted));
  const Granted granted = facts(*stored);
  ring(**visited, address.kind);
  return granted;
}

Result<Granted> FakeServer::renew(Client client, const Address& address,
                                  const Claim& claim) {
  const std::lock_guard lock(mutex_);
  const auto visited = visit(address);
  if (!visited) return visited.error();
  StoredClaim* const stored = find(**visited, client, claim.ticket);
  if (stored == nullptr || !stored->granted) return Errc::not_held;
  stored->end = later(lease_of(client, claim));
  return facts(*stored);
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
  std::erase_if(node.queue, [&](const StoredClaim& p) { return &p == found; });
  ring(node, address.kind);
  return {};
}

}  // namespace holdfast::test
