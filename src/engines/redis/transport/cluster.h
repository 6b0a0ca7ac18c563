// SPDX-License-Identifier: Apache-2.0

// engines/redis/transport/cluster.h - sends each command to the server of a Redis
// Cluster that has its slot.
//
// The cluster's own thread keeps the map of the slots: it asks one of the servers when
// the cluster is opened, and again whenever a server redirected a call, could not be
// reached or said that the cluster is down. A redirected call goes on at once, and its
// slot is known better from then on. When the map has changed, the subscriptions whose
// slots have moved follow them.

#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "engines/redis/options.h"
#include "engines/redis/transport/pub_sub.h"
#include "engines/redis/transport/refresher.h"
#include "engines/redis/transport/requests.h"
#include "engines/redis/transport/servers.h"
#include "engines/redis/transport/slot_map.h"
#include "holdfast/retry.h"

namespace holdfast::redis {

// The class is safe for concurrent use.
class Cluster final : public Servers, public Channels {
 public:
  // A Node is one server. It stays until the cluster is closed, even if it has no slots
  // any more.
  struct Node {
    Node(const Endpoint& where, std::function<void()> reconnected,
         std::function<void()> misplaced, const RetryPolicy& retry)
        : endpoint(where),
          requests(where, std::move(reconnected), nullptr, retry),
          pub_sub(where, std::move(misplaced), retry) {}
    const Endpoint endpoint;
    Requests requests;
    PubSub pub_sub;
    static constexpr int kNotKnown = -1;
    std::atomic<int> replicas{kNotKnown};  // that it has, with those that are down
  };

  // `endpoint` says how to be admitted at any of the servers. `reconnected` is
  // explained at Requests.
  Cluster(ClusterOptions cluster, Endpoint endpoint, std::function<void()> reconnected,
          const RetryPolicy& retry = {});
  ~Cluster() override;  // No call may be under way.
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  using Servers::call;
  Result<void> open(engine::Deadline until) override;
  Result<void> call(Slot slot, std::string_view commands, std::span<Reply> replies,
                    engine::Deadline until) override;
  Result<Requests*> requests_for(Slot slot, engine::Deadline until) override;
  std::vector<Primary> primaries() override;
  ServerName name_of(Slot slot) const override;
  std::optional<int> replicas(Slot slot) const override;
  std::vector<KnownServer> known_servers() const override;
  Channels& channels() noexcept override { return *this; }

  // The channels are shard channels, at the server that has their slot.
  bool is_subscribed(const std::string& channel) const override;
  Result<void> subscribe(const std::string& channel,
                         std::shared_ptr<ChannelListener> subscriber,
                         engine::Deadline until) override;
  void unsubscribe(const std::string& channel,
                   const ChannelListener& subscriber) noexcept override;

 private:
  // A Map is what a server says of the cluster.
  struct Map {
    std::vector<SlotRange> ranges;
    std::vector<ClusterMember> members;
  };

  Node& node_at(const base::Host& host);
  Node& announced_node(const base::Host& host);
  Result<Node*> owner_of(Slot slot, engine::Deadline until);
  Result<void> call_asking(Node& node, std::string_view commands,
                           std::span<Reply> replies, engine::Deadline until);
  bool await_map(engine::Deadline until) HOLDFAST_EXCLUDES(mutex_);

  bool refresh();
  Result<void> read_map();
  void put(Map map);
  void move_subscriptions();
  std::vector<std::shared_ptr<Node>> nodes() const;

  const ClusterOptions options_;
  const Endpoint endpoint_;
  const std::function<void()> reconnected_;
  const RetryPolicy retry_;
  // The nodes live as long as this object, so that a reader needs no mutex.
  std::array<std::atomic<Node*>, kSlots> owners_{};

  // It is held while subscriptions move, so that each can be found at one server.
  base::Mutex moving_;
  mutable base::Mutex mutex_;
  base::CondVar changed_;
  Refresher refresher_;  // The nodes ask for a new map until they are destroyed.
  // This counts the attempts to read the map that have ended.
  std::uint64_t map_reads_ HOLDFAST_GUARDED_BY(mutex_) = 0;
  std::optional<Failure> why_no_map_ HOLDFAST_GUARDED_BY(mutex_);
  // This is the most telling reason of the attempt that is under way.
  std::optional<Failure> why_so_far_ HOLDFAST_GUARDED_BY(mutex_);
  // The map as it was last read has the addresses that lead to the servers.
  Map map_ HOLDFAST_GUARDED_BY(mutex_);
  std::vector<std::shared_ptr<Node>> nodes_ HOLDFAST_GUARDED_BY(mutex_);
};

}  // namespace holdfast::redis
