// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "testing/fake_failures.h"
#include "testing/fake_server.h"

namespace holdfast::test {

using engine::Address;
using engine::Exchanged;
using engine::Kind;
using engine::Ticket;
using engine::Value;

namespace {

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

Value FakeServer::change(Node& node, std::optional<std::int64_t> to) {
  node.value.reset();
  if (to) node.value = Value{*to, ++last_version_};
  return node.value.value_or(Value{});
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
  const auto alarm = guests_.at(found->client).options.alarm;
  guests_.at(found->client).dropped.insert(found->ticket);
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

}  // namespace holdfast::test
