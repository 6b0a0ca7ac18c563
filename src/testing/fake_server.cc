// SPDX-License-Identifier: Apache-2.0

#include "testing/fake_server.h"

#include <algorithm>

#include "holdfast/timeout.h"
#include "testing/fake_failures.h"

namespace holdfast::test {

using namespace std::chrono_literals;
using engine::Address;
using engine::Claim;
using engine::Exchanged;
using engine::Granted;
using engine::Kind;
using engine::Ticket;
using engine::Value;
using Time = Clock::time_point;

namespace {

Time later(engine::LeaseTime span) { return Timeout(span).deadline(); }

bool is_too_far_ahead(const Claim& claim) {
  const auto latest = std::chrono::system_clock::now() + engine::kTokensAhead;
  const auto span =
      std::chrono::floor<std::chrono::microseconds>(latest.time_since_epoch());
  return claim.token.value > static_cast<std::uint64_t>(span.count());
}

std::string owner_name(std::uint64_t client, Ticket ticket) {
  return std::to_string(client) + ":" +
         std::to_string(static_cast<std::uint64_t>(ticket));
}

// Returns what the same ticket changed before, or null.
template <class Changes>
const Exchanged* find_change(const Changes& changes, std::uint64_t client,
                             Ticket ticket) {
  const auto found = changes.find({client, ticket});
  return ticket == Ticket::none || found == changes.end() ? nullptr : &found->second;
}

}  // namespace

FakeServer::Client FakeServer::join(const engine::SessionOptions& options) {
  const std::lock_guard lock(mutex_);
  sessions_[++last_client_] = {options, {}};
  return last_client_;
}

void FakeServer::leave(Client client) {
  const std::lock_guard lock(mutex_);
  for (auto& [key, node] : nodes_) {
    std::erase_if(node.queue, [&](const StoredClaim& p) { return p.client == client; });
    ring(node, key.second);
  }
  sessions_.erase(client);
}

Result<engine::Verdict> FakeServer::attempt(Client client, const Address& address,
                                            const Claim& claim,
                                            const engine::Waker& waker) {
  const std::lock_guard lock(mutex_);
  const auto visited = visit(address);
  if (!visited) return visited.error();
  Node& node = **visited;
  if (!sessions_.contains(client)) return Errc::closed;
  Session& session = sessions_.at(client);
  if (session.dropped.contains(claim.ticket)) return was_given_up(address);

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
    const auto payload =
        claim.payload.empty() ? session.options.payload : claim.payload;
    node.queue.push_back({client, claim.ticket, claim.mode, claim.permits,
                          std::string(payload), nullptr, Time::max(),
                          lease_of(client, claim),
                          reserves_tokens_ ? std::max(claim.tokens, 1u) : 1});
    stored = &node.queue.back();
    if (address.kind == Kind::double_barrier) ring(node, address.kind);
  }
  if (stored->granted) return grant_of(node, address.kind, *stored);

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
        const auto its_waker = other.waker;
        grant(other);
        if (its_waker != nullptr) its_waker->ring();
      }
    }
    const engine::Verdict granted = grant_of(node, address.kind, *stored);
    ring(node, address.kind);
    return granted;
  }
  if (waker == nullptr) {
    node.queue.erase(node.queue.begin() + static_cast<std::ptrdiff_t>(index));
    ring(node, address.kind);
    return engine::Verdict(engine::Blocked{retry_after(node)});
  }
  stored->waker = waker;
  stored->end = traits_.leased ? later(session.options.ttl) : Time::max();
  const auto pause =
      std::min<std::chrono::nanoseconds>(retry_after(node), session.options.ttl / 3);
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
  if (!sessions_.contains(client)) return Errc::closed;
  sessions_.at(client).dropped.insert(claim.ticket);
  const auto found = find(node, client, claim.ticket);
  if (found == nullptr) return Errc::not_held;
  std::erase_if(node.queue, [&](const StoredClaim& p) { return &p == found; });
  ring(node, address.kind);
  return {};
}

Result<Value> FakeServer::load(const Address& address) {
  const std::lock_guard lock(mutex_);
  const auto visited = visit(address);
  if (!visited) return visited.error();
  return (*visited)->value.value_or(Value{});
}

Result<Value> FakeServer::add(Client client, const Address& address, std::int64_t by,
                              Ticket ticket) {
  const std::lock_guard lock(mutex_);
  const auto visited = visit(address);
  if (!visited) return visited.error();
  Node& node = **visited;
  if (const auto* done = find_change(node.done, client, ticket)) return done->now;
  if (!node.value && address.kind == Kind::latch) return Value{};
  std::int64_t total = 0;
  if (__builtin_add_overflow(node.value ? node.value->number : 0, by, &total)) {
    return number_does_not_fit(address);
  }
  const bool gone = address.kind == Kind::latch && total <= 0;
  const Value now = change(node, gone ? std::nullopt : std::optional(total));
  if (ticket != Ticket::none) node.done[{client, ticket}] = {true, now};
  ring(node, address.kind);
  return now;
}

Result<Exchanged> FakeServer::exchange(Client client, const Address& address,
                                       const Value& from,
                                       std::optional<std::int64_t> to, Ticket ticket) {
  const std::lock_guard lock(mutex_);
  const auto visited = visit(address);
  if (!visited) return visited.error();
  Node& node = **visited;
  if (const auto* done = find_change(node.done, client, ticket)) return *done;
  const Value now = node.value.value_or(Value{});
  if (!engine::matches(from, now)) {
    return Exchanged{false, now};
  }
  const Exchanged exchanged{true, change(node, to)};
  if (ticket != Ticket::none) node.done[{client, ticket}] = exchanged;
  ring(node, address.kind);
  return exchanged;
}

Result<engine::Watch> FakeServer::watch(const Address& address,
                                        const engine::Waker& waker) {
  const std::lock_guard lock(mutex_);
  const auto visited = visit(address);
  if (!visited) return visited.error();
  const auto keep = std::make_shared<engine::Waker>(waker);
  (*visited)->watches.push_back(keep);
  return engine::Watch{keep, retry_after(**visited)};
}

Result<std::vector<engine::Entry>> FakeServer::survey(const Address& address,
                                                      std::size_t limit) {
  const std::lock_guard lock(mutex_);
  const auto visited = visit(address);
  if (!visited) return visited.error();
  std::vector<engine::Entry> entries;
  for (const StoredClaim& stored : (*visited)->queue) {
    if (entries.size() == limit) break;
    engine::Entry entry;
    entry.owner = owner_name(stored.client, stored.ticket);
    entry.payload = stored.payload;
    entry.mode = stored.mode;
    entry.permits = stored.permits;
    entry.granted = stored.granted;
    if (stored.granted) {
      entry.token = stored.token;
      entry.since = stored.since;
      if (stored.end != Clock::time_point::max()) entry.left = facts(stored).lease;
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

Result<void> FakeServer::evict(const Address& address, std::string_view owner) {
  const std::lock_guard lock(mutex_);
  const auto visited = visit(address);
  if (!visited) return visited.error();
  auto& queue = (*visited)->queue;
  const auto found = std::find_if(
      queue.begin(), queue.end(),
      [&](const StoredClaim& p) { return owner_name(p.client, p.ticket) == owner; });
  if (found == queue.end()) return Errc::not_held;
  const auto alarm = sessions_.at(found->client).options.alarm;
  sessions_.at(found->client).dropped.insert(found->ticket);
  const auto waker = found->waker;
  queue.erase(found);
  if (alarm != nullptr) alarm->ring();
  if (waker != nullptr) waker->ring();
  ring(**visited, address.kind);
  return {};
}

engine::Page FakeServer::list(std::string_view prefix, std::string_view from) {
  constexpr std::size_t kPage = 50;
  const std::lock_guard lock(mutex_);
  engine::Page page;
  for (auto& [key, node] : nodes_) {
    const auto& [name, kind] = key;
    expire(node, {kind, name});
    if (!node.live() || !name.starts_with(prefix) || name < from) continue;
    if (page.addresses.size() >= kPage && name != page.addresses.back().name) {
      page.next = name;
      break;
    }
    page.addresses.push_back({kind, name});
  }
  return page;
}

std::size_t FakeServer::end_claims(std::string_view name) {
  const std::lock_guard lock(mutex_);
  std::size_t ended = 0;
  for (auto& [key, node] : nodes_) {
    if (key.first != name) continue;
    ended += std::erase_if(node.queue, [&](const StoredClaim& stored) {
      const auto session = sessions_.find(stored.client);
      if (stored.granted && session != sessions_.end() &&
          session->second.options.alarm) {
        session->second.options.alarm->ring();
      }
      return stored.granted;
    });
    ring(node, key.second);
  }
  return ended;
}

Result<FakeServer::Node*> FakeServer::visit(const Address& address) {
  for (auto it = nodes_.lower_bound({address.name, Kind{}});
       it != nodes_.end() && it->first.first == address.name; ++it) {
    expire(it->second, {it->first.second, address.name});
    if (it->first.second != address.kind && it->second.live()) {
      return used_by_another_kind(address);
    }
  }
  return &nodes_[{address.name, address.kind}];
}

void FakeServer::expire(Node& node, const Address& address) {
  const Time now = Clock::now();
  if (std::erase_if(node.queue, [&](const StoredClaim& p) { return p.end <= now; }) >
      0) {
    ring(node, address.kind);
  }
}

bool FakeServer::admitted(const Node& node, Kind kind, std::size_t index) const {
  std::vector<engine::QueueEntry> entries;
  for (const StoredClaim& p : node.queue)
    entries.push_back({p.mode, p.permits, p.granted});
  const auto capacity =
      kind == Kind::double_barrier
          ? node.parties
          : static_cast<std::uint32_t>(node.value ? node.value->number : 0);
  return engine::admits(kind, capacity, entries, index);
}

void FakeServer::ring(Node& node, Kind kind) {
  for (std::size_t i = 0; i < node.queue.size(); ++i) {
    const StoredClaim& stored = node.queue[i];
    if (!stored.granted && stored.waker != nullptr && admitted(node, kind, i)) {
      stored.waker->ring();
    }
  }
  std::erase_if(node.watches, [](const auto& watch) { return watch.expired(); });
  for (const auto& watch : node.watches) {
    if (const auto waker = watch.lock()) (*waker)->ring();
  }
}

FakeServer::StoredClaim* FakeServer::find(Node& node, Client client, Ticket ticket) {
  for (StoredClaim& stored : node.queue) {
    if (stored.client == client && stored.ticket == ticket) return &stored;
  }
  return nullptr;
}

engine::LeaseTime FakeServer::lease_of(Client client, const Claim& claim) const {
  if (claim.lease.count() != 0) return claim.lease;
  return traits_.leased ? sessions_.at(client).options.ttl : engine::kNoLease;
}

void FakeServer::grant(StoredClaim& stored) {
  stored.granted = true;
  stored.waker = nullptr;
  if (!stored.token) stored.token = {last_token_ + 1};
  last_token_ = std::max(last_token_, stored.token.value + stored.tokens - 1);
  stored.since = std::chrono::system_clock::now();
  stored.end = Timeout(stored.lease).deadline();
}

Granted FakeServer::facts(const StoredClaim& stored) const {
  const bool endless = stored.end == Time::max();
  return {stored.token, stored.tokens,
          endless ? engine::kNoLease : stored.end - Clock::now()};
}

engine::Verdict FakeServer::grant_of(const Node& node, Kind kind,
                                     const StoredClaim& stored) const {
  Granted granted = facts(stored);
  if (kind == Kind::semaphore && node.value) {
    granted.capacity = static_cast<std::uint32_t>(
        std::clamp<std::int64_t>(node.value->number, 0, UINT32_MAX));
  }
  return granted;
}

std::chrono::nanoseconds FakeServer::retry_after(const Node& node) const {
  std::chrono::nanoseconds span = 1s;
  for (const StoredClaim& stored : node.queue) {
    if (stored.end != Time::max()) {
      span = std::min<std::chrono::nanoseconds>(span, stored.end - Clock::now());
    }
  }
  return std::max<std::chrono::nanoseconds>(span, 1ms);
}

Value FakeServer::change(Node& node, std::optional<std::int64_t> to) {
  node.value.reset();
  if (to) node.value = Value{*to, ++last_version_};
  return node.value.value_or(Value{});
}

}  // namespace holdfast::test
