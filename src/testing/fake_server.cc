// SPDX-License-Identifier: Apache-2.0

#include "testing/fake_server.h"

#include <algorithm>

#include "holdfast/timeout.h"

namespace holdfast::test {

using engine::Address;
using engine::Claim;
using engine::Granted;
using engine::Kind;
using engine::Ticket;
using Time = Clock::time_point;

namespace {

Time later(engine::LeaseTime span) { return Timeout(span).deadline(); }

// These are spelt as in base/common_failures.h, which only the library can use.
Failure was_given_up(const Address& address) {
  return {Errc::not_held, "a claim on \"" + address.name +
                              "\" was given up and is attempted again: acquire it "
                              "anew"};
}

Failure too_many_permits(const Address& address, std::uint32_t wanted,
                         std::int64_t capacity) {
  const std::string most = std::to_string(capacity);
  const std::string remedy =
      capacity > 0 ? "ask for at most " + most + ", or set a larger number with"
                   : "set their number first, with";
  return {Errc::bad_argument, "\"" + address.name + "\" will never have " +
                                  std::to_string(wanted) + " permits, it has " + most +
                                  ": " + remedy +
                                  " Semaphore::set_permits or `holdfast semaphore`"};
}

Failure token_too_far_ahead(const Address& address) {
  return {Errc::bad_argument,
          "a token for \"" + address.name +
              "\" was named that is more than an hour ahead of the server's clock: "
              "set the clocks of this host and of the server"};
}

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
  const bool grows =
      wanted.permits > stored->permits ||
      (wanted.mode == engine::Mode::exclusive && stored->mode == engine::Mode::shared);
  if (grows) return Errc::unsupported;
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
