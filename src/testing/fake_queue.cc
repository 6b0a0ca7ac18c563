// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "holdfast/timeout.h"
#include "testing/fake_failures.h"
#include "testing/fake_server.h"

namespace holdfast::test {

using namespace std::chrono_literals;
using engine::Address;
using engine::Claim;
using engine::Granted;
using engine::Kind;
using engine::Ticket;
using Time = Clock::time_point;

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

std::size_t FakeServer::end_claims(std::string_view name) {
  const std::lock_guard lock(mutex_);
  std::size_t ended = 0;
  for (auto& [key, node] : nodes_) {
    if (key.first != name) continue;
    ended += std::erase_if(node.queue, [&](const StoredClaim& stored) {
      const auto guest = guests_.find(stored.client);
      if (stored.granted && guest != guests_.end() && guest->second.options.alarm) {
        guest->second.options.alarm->ring();
      }
      return stored.granted;
    });
    ring(node, key.second);
  }
  return ended;
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
  return traits_.leased ? guests_.at(client).options.ttl : engine::kNoLease;
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

std::chrono::nanoseconds FakeServer::retry_after(const Node& node) const {
  std::chrono::nanoseconds span = 1s;
  for (const StoredClaim& stored : node.queue) {
    if (stored.end != Time::max()) {
      span = std::min<std::chrono::nanoseconds>(span, stored.end - Clock::now());
    }
  }
  return std::max<std::chrono::nanoseconds>(span, 1ms);
}

}  // namespace holdfast::test
