// SPDX-License-Identifier: Apache-2.0

#include "engines/redis/transport/cluster.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <thread>
#include <utility>

#include "base/backoff.h"
#include "base/common_failures.h"
#include "base/pause.h"
#include "base/time_left.h"
#include "base/transient.h"
#include "engines/redis/transport/command.h"

namespace holdfast::redis {
namespace {

using namespace std::chrono_literals;
using engine::Deadline;

constexpr auto kMapTime = 1s;        // the time that one server gets to tell the map
constexpr auto kBetweenMaps = 50ms;  // the least time between two questions for it
// The first redirections of a call are followed at once; two servers that redirect to
// each other do not make it run hot.
constexpr int kQuickRedirections = 3;

// A reason that has to be mended says more than one that may pass, and an answer says
// more than none.
int how_telling(const Failure& why, bool answered) noexcept {
  if (!base::is_transient(why)) return 2;
  return answered ? 1 : 0;
}

using AddressById = std::map<std::string, std::string>;

std::string role_of(const ClusterMember& without_slots, const AddressById& primaries) {
  std::string role = "primary without slots";
  if (!without_slots.primary.empty()) role = "replica";
  const auto primary = primaries.find(without_slots.primary);
  if (primary != primaries.end()) role += " of " + primary->second;
  if (without_slots.failed) role += ", failed";
  return role;
}

}  // namespace

Cluster::Cluster(ClusterOptions cluster, Endpoint endpoint,
                 std::function<void()> reconnected, const RetryPolicy& retry)
    : options_(std::move(cluster)),
      endpoint_(std::move(endpoint)),
      reconnected_(std::move(reconnected)),
      retry_(retry),
      refresher_("hf-redis-slots", kBetweenMaps, retry, [this] { return refresh(); }) {}

Cluster::~Cluster() { refresher_.stop(); }

Result<void> Cluster::open(Deadline until) {
  if (!refresher_.start()) {
    return base::no_thread("learn which server has which slot of " + options_.called());
  }
  base::MutexLock lock(mutex_);
  while (map_reads_ == 0) {
    const auto left = base::time_left(until);
    if (left == 0ns) {
      if (why_so_far_) return *why_so_far_;
      return base::not_answered(options_.called(), Errc::unavailable);
    }
    changed_.wait_for(lock, left);
  }
  if (why_no_map_) return *why_no_map_;
  return {};
}

Result<void> Cluster::call(Slot slot, std::string_view commands,
                           std::span<Reply> replies, Deadline until) {
  auto owner = owner_of(slot, until);
  if (!owner) return std::move(owner).error();
  Node* node = *owner;
  base::Backoff backoff(retry_);
  for (int redirections = 0;; ++redirections) {
    auto done = node->requests.call(commands, replies, until);
    if (!done) {
      refresher_.request_refresh();
      return done;
    }
    if (!replies[0].view().is_error()) return {};
    auto elsewhere = read_redirection(replies[0].view(), node->endpoint.host);
    if (elsewhere && elsewhere->kind == Redirection::Kind::ask) {
      done = call_asking(announced_node(elsewhere->to), commands, replies, until);
      if (!done) return done;
      elsewhere = read_redirection(replies[0].view(), elsewhere->to);
    }
    if (!elsewhere) {
      if (is_passing(replies[0].view())) refresher_.request_refresh();
      return {};
    }
    node = &announced_node(elsewhere->to);
    owners_[slot].store(node);
    refresher_.request_refresh();
    if (redirections < kQuickRedirections) continue;
    const auto pause = backoff.failed();
    if (base::time_left(until) <= pause) {
      return Failure(Errc::unavailable,
                     "the servers of " + options_.called() + " redirect slot " +
                         std::to_string(slot) +
                         " to each other: compare what CLUSTER NODES says on each");
    }
    std::this_thread::sleep_for(pause);
  }
}

Result<Requests*> Cluster::requests_for(Slot slot, Deadline until) {
  const auto owner = owner_of(slot, until);
  if (!owner) return owner.error();
  return &(*owner)->requests;
}

// ASKING holds for the one command behind it on the same connection, so both go out in
// one write.
Result<void> Cluster::call_asking(Node& node, std::string_view commands,
                                  std::span<Reply> replies, Deadline until) {
  std::string out;
  Command(out, 1).add("ASKING");
  out.append(commands);
  std::vector<Reply> all(replies.size() + 1);
  auto done = node.requests.call(out, all, until);
  std::move(all.begin() + 1, all.end(), replies.begin());
  return done;
}

bool Cluster::is_subscribed(const std::string& channel) const {
  const Node* const owner = owners_[slot_of(channel)].load();
  return owner != nullptr && owner->pub_sub.is_subscribed(channel);
}

Result<void> Cluster::subscribe(const std::string& channel,
                                std::shared_ptr<ChannelListener> subscriber,
                                Deadline until) {
  const auto owner = owner_of(slot_of(channel), until);
  if (!owner) return owner.error();
  return (*owner)->pub_sub.subscribe(channel, std::move(subscriber), until);
}

// The subscription may be on its way from one server to another.
void Cluster::unsubscribe(const std::string& channel,
                          const ChannelListener& subscriber) noexcept {
  base::MutexLock lock(moving_);
  for (const auto& node : nodes()) node->pub_sub.unsubscribe(channel, subscriber);
}

void Cluster::move_subscriptions() {
  base::MutexLock lock(moving_);
  for (const auto& node : nodes()) {
    node->pub_sub.move_away(
        [&](std::string_view channel) {
          const Node* const owner = owners_[slot_of(channel)].load();
          return owner != nullptr && owner != node.get();
        },
        [&](std::string_view channel) -> PubSub* {
          return &owners_[slot_of(channel)].load()->pub_sub;
        });
  }
}

std::vector<std::shared_ptr<Cluster::Node>> Cluster::nodes() const {
  base::MutexLock lock(mutex_);
  return nodes_;
}

std::vector<Servers::Primary> Cluster::primaries() {
  std::vector<Primary> found;
  for (const auto& node : nodes()) {
    const auto is_owner = [&](const auto& owner) { return owner.load() == node.get(); };
    const auto owned = std::ranges::find_if(owners_, is_owner);
    if (owned == owners_.end()) continue;
    const auto slot = static_cast<Slot>(owned - owners_.begin());
    found.push_back({&node->endpoint, &node->requests, slot});
  }
  return found;
}

ServerName Cluster::name_of(Slot slot) const {
  const Node* const owner = owners_[slot].load();
  if (owner != nullptr) return owner->endpoint.name();
  return {.called = options_.called(), .fails_over = true};
}

Cluster::Node& Cluster::node_at(const base::Host& host) {
  base::MutexLock lock(mutex_);
  for (const auto& node : nodes_) {
    if (node->endpoint.host == host) return *node;
  }
  Endpoint endpoint = endpoint_;
  endpoint.host = host;
  nodes_.push_back(std::make_shared<Node>(
      endpoint, reconnected_, [this] { refresher_.request_refresh(); }, retry_));
  return *nodes_.back();
}

// The cluster's servers know each other by addresses that may not be those that lead to
// them from here.
Cluster::Node& Cluster::announced_node(const base::Host& host) {
  return node_at(reached_by(options_.nat, host));
}

Result<Cluster::Node*> Cluster::owner_of(Slot slot, Deadline until) {
  if (Node* const known = owners_[slot].load()) return known;
  if (await_map(until)) {
    if (Node* const known = owners_[slot].load()) return known;
  }
  return Failure(Errc::unavailable, "no server of " + options_.called() + " has slot " +
                                        std::to_string(slot) +
                                        ": look at CLUSTER SLOTS, and assign it");
}

bool Cluster::await_map(Deadline until) {
  base::MutexLock lock(mutex_);
  const auto before = map_reads_;
  refresher_.request_refresh();
  while (map_reads_ == before) {
    const auto left = base::time_left(until);
    if (left == 0ns) return false;
    changed_.wait_for(lock, left);
  }
  return !why_no_map_;
}

bool Cluster::refresh() {
  const auto read = read_map();
  if (read) {
    move_subscriptions();
  } else {
    refresher_.request_refresh();
  }
  base::MutexLock lock(mutex_);
  ++map_reads_;
  why_no_map_ = read ? std::nullopt : std::optional(read.error());
  changed_.notify_all();
  return read.has_value();
}

// Any server will do. The known ones come first, beginning with a random one; the ones
// of the URL follow, in case that all others are gone.
Result<void> Cluster::read_map() {
  std::vector<base::Host> hosts;
  {
    base::MutexLock lock(mutex_);
    for (const auto& node : nodes_) hosts.push_back(node->endpoint.host);
  }
  if (!hosts.empty()) {
    const auto first = base::random_part(std::chrono::nanoseconds(hosts.size() - 1));
    std::rotate(hosts.begin(), hosts.begin() + first.count(), hosts.end());
  }
  for (const base::Host& host : options_.servers) {
    if (std::ranges::find(hosts, host) == hosts.end()) hosts.push_back(host);
  }

  std::string out;
  Command(out, 2).add("CLUSTER").add("SLOTS");
  Command(out, 2).add("CLUSTER").add("NODES");
  Failure why(Errc::unavailable,
              options_.called() + " has no servers: name one in the URL");
  int most_telling = -1;
  for (const auto& host : hosts) {
    std::array<Reply, 2> replies;
    auto answered = node_at(host).requests.call(out, std::span<Reply>(replies),
                                                Clock::now() + kMapTime);
    auto ranges = answered ? read_slots(replies[0].view(), host)
                           : Result<std::vector<SlotRange>>(answered.error());
    if (ranges) {
      put({*std::move(ranges), read_members(replies[1].view(), host)});
      return {};
    }
    const int telling = how_telling(ranges.error(), answered.has_value());
    if (telling <= most_telling) continue;
    most_telling = telling;
    why = std::move(ranges).error();
    base::MutexLock lock(mutex_);
    why_so_far_ = why;
  }
  return why;
}

void Cluster::put(Map map) {
  std::vector<Node*> owners(kSlots, nullptr);
  for (const auto& range : map.ranges) {
    Node* const node = &announced_node(range.primary);
    node->replicas.store(static_cast<int>(count_replicas(range, map.members)));
    std::fill(owners.begin() + range.first, owners.begin() + range.last + 1, node);
  }
  for (std::size_t slot = 0; slot < kSlots; ++slot) owners_[slot].store(owners[slot]);
  for (SlotRange& range : map.ranges) {
    range.primary = reached_by(options_.nat, range.primary);
  }
  for (ClusterMember& member : map.members) {
    member.host = reached_by(options_.nat, member.host);
  }
  base::MutexLock lock(mutex_);
  map_ = std::move(map);
}

std::optional<int> Cluster::replicas(Slot slot) const {
  const Node* const owner = owners_[slot].load();
  const int known = owner == nullptr ? Node::kNotKnown : owner->replicas.load();
  return known == Node::kNotKnown ? std::nullopt : std::optional(known);
}

std::vector<Servers::KnownServer> Cluster::known_servers() const {
  base::MutexLock lock(mutex_);
  std::vector<KnownServer> all;
  AddressById primaries;
  for (const SlotRange& range : map_.ranges) {
    const std::string where = base::spell(range.primary);
    primaries[range.id] = where;
    auto known = std::ranges::find(all, where, &KnownServer::where);
    if (known == all.end()) {
      known = all.insert(all.end(), {where, where, "primary", {}});
    }
    if (!known->slots.empty()) known->slots += ' ';
    known->slots += std::to_string(range.first) + "-" + std::to_string(range.last);
  }
  for (const ClusterMember& each : map_.members) {
    if (primaries.contains(each.id)) continue;
    all.push_back({base::spell(each.host), {}, role_of(each, primaries), {}});
  }
  return all;
}

}  // namespace holdfast::redis
