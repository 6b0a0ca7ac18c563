// SPDX-License-Identifier: Apache-2.0

// engines/redis/transport/watched_server.h - the server that is the primary at the
// moment, as sentinels know it.

#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "engines/redis/transport/sentinel.h"
#include "engines/redis/transport/servers.h"

namespace holdfast::redis {

// It has every slot. When the primary changes, all connections are made anew.
class WatchedServer final : public Servers {
 public:
  // `reconnected` is explained at Requests; it is also called when the primary has
  // changed, because the new one may lack what the old one confirmed.
  WatchedServer(const SentinelOptions& sentinels, const Endpoint& like,
                const std::function<void()>& reconnected, const RetryPolicy& retry)
      : endpoint_(like),
        sentinels_(
            sentinels, like, [this, reconnected] { leave(reconnected); }, retry),
        pub_sub_(sentinels_.to_primary(), retry),
        requests_(
            sentinels_.to_primary(), reconnected, [this] { pub_sub_.reconnect(); },
            retry) {}
  ~WatchedServer() override { sentinels_.stop(); }

  using Servers::call;
  Result<void> open(engine::Deadline until) override { return sentinels_.open(until); }
  Result<void> call(Slot, std::string_view commands, std::span<Reply> replies,
                    engine::Deadline until) override {
    return requests_.call(commands, replies, until);
  }
  Result<Requests*> requests_for(Slot, engine::Deadline) override { return &requests_; }
  std::vector<Primary> primaries() override { return {{&endpoint_, &requests_, 0}}; }
  ServerName name_of(Slot) const override;
  std::optional<int> replicas(Slot) const override { return sentinels_.replicas(); }
  std::vector<KnownServer> known_servers() const override;
  Channels& channels() noexcept override { return pub_sub_; }

 private:
  void leave(const std::function<void()>& reconnected) {
    requests_.reconnect();
    pub_sub_.reconnect();
    reconnected();
  }

  const Endpoint endpoint_;
  Sentinels sentinels_;
  PubSub pub_sub_;
  Requests requests_;  // Its reader calls `pub_sub_`, so it ends first.
};

inline ServerName WatchedServer::name_of(Slot) const {
  Endpoint primary = endpoint_;
  if (auto host = sentinels_.known_primary()) primary.host = *std::move(host);
  return primary.name();
}

// INFO was asked at the name that the sentinels have for the primary.
inline std::vector<Servers::KnownServer> WatchedServer::known_servers() const {
  std::vector<KnownServer> all;
  if (const auto primary = sentinels_.known_primary()) {
    all.push_back({base::spell(*primary), endpoint_.spelt(), "primary", {}});
  }
  for (const base::Host& each : sentinels_.hosts()) {
    all.push_back({base::spell(each), {}, "sentinel", {}});
  }
  return all;
}

}  // namespace holdfast::redis
