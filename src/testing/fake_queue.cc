// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "holdfast/timeout.h"
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
    if (it->first.second != address.kind && it->second.live()) return Errc::wrong_kind;
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
    ended += std::erase_if(node.queue, [&](const StoredClaim& place) {
      const auto guest = guests_.find(place.client);
      if (place.granted && guest != guests_.end() && guest->second.options.alarm) {
        guest->second.options.alarm->ring();
      }
      return place.granted;
    });
    ring(node, key.second);
  }
  return ended;
}

bool FakeServer::admitted(const Node& node, Kind kind, std::size_t index) const {
  std::vector<engine::QueueEntry> places;
  for (const StoredClaim& p : node.queue)
    places.push_back({p.mode, p.permits, p.granted});
  const auto capacity =
      kind == Kind::double_barrier
          ? node.parties
          : static_cast<std::uint32_t>(node.value ? node.value->number : 0);
  return engine::admits(kind, capacity, places, index);
}

void FakeServer::ring(Node& node, Kind kind) {
  for (std::size_t i = 0; i < node.queue.size(); ++i) {
    const StoredClaim& place = node.queue[i];
    if (!place.granted && place.waker != nullptr && admitted(node, kind, i)) {
      place.waker->ring();
    }
  }
  std::erase_if(node.watches, [](const auto& watch) { return watch.expired(); });
  for (const auto& watch : node.watches) {
    if (const auto waker = watch.lock()) (*waker)->ring();
  }
}

FakeServer::StoredClaim* FakeServer::find(Node& node, Client client, Ticket ticket) {
  for (StoredClaim& place : node.queue) {
    if (place.client == client && place.ticket == ticket) return &place;
  }
  return nullptr;
}

engine::Lease FakeServer::lease_of(Client client, const Claim& claim) const {
  if (claim.lease.count() != 0) return claim.lease;
  return traits_.leased ? guests_.at(client).options.ttl : engine::kNoLease;
}

void FakeServer::grant(StoredClaim& place) {
  place.granted = true;
  place.waker = nullptr;
  if (!place.token) place.token = {last_token_ + 1};
  last_token_ = std::max(last_token_, place.token.value + place.tokens - 1);
  place.since = std::chrono::system_clock::now();
  place.end = Timeout(place.lease).deadline();
}

Granted FakeServer::facts(const StoredClaim& place) const {
  const bool endless = place.end == Time::max();
  return {place.token, place.tokens,
          endless ? engine::kNoLease : place.end - Clock::now()};
}

std::chrono::nanoseconds FakeServer::retry_after(const Node& node) const {
  std::chrono::nanoseconds span = 1s;
  for (const StoredClaim& place : node.queue) {
    if (place.end != Time::max()) {
      span = std::min<std::chrono::nanoseconds>(span, place.end - Clock::now());
    }
  }
  return std::max<std::chrono::nanoseconds>(span, 1ms);
}

}  // namespace holdfast::test
