// SPDX-License-Identifier: Apache-2.0

#include "engines/redis/session.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/common_failures.h"
#include "engines/redis/layout.h"
#include "engines/redis/listing.h"
#include "engines/redis/renewal.h"
#include "engines/redis/resource.h"
#include "holdfast/names.h"

namespace holdfast::redis {

RedisSession::RedisSession(std::shared_ptr<Backend> backend) noexcept
    : backend_(std::move(backend)) {}

engine::Traits RedisSession::traits(engine::Kind kind) const noexcept {
  engine::Traits traits = backend_->layout(kind).traits;
  traits.sends_ahead = true;
  traits.posts = true;
  return traits;
}

Result<std::shared_ptr<engine::Resource>> RedisSession::bind(
    const engine::Address& address) {
  if (auto good = check_name(address.name); !good) return std::move(good).error();
  const auto slot = slot_of_name(address);
  if (!slot) return slot.error();
  return std::shared_ptr<engine::Resource>(
      std::make_shared<RedisResource>(backend_, address, *slot));
}

// Every key of a name, and its channel, must be at one server.
Result<Slot> RedisSession::slot_of_name(const engine::Address& address) const {
  if (!backend_->options().is_cluster()) return Slot{0};
  const KeyNames names(backend_->layout(address.kind).prefixes, address.name);
  if (const auto slot = names.slot()) return *slot;
  return Failure(
      Errc::bad_argument,
      base::in_quotes(address.name) +
          " cannot be used in a Redis Cluster: its braces would put its keys "
          "on several servers; use a name without braces, or one with a "
          "whole {tag}, which a latch cannot have");
}

Result<void> RedisSession::renew(std::span<engine::ClaimRef> refs,
                                 engine::Deadline until) {
  return renew_all(*backend_, refs, until);
}

Result<engine::Page> RedisSession::list(std::string_view prefix, std::string_view from,
                                        engine::Deadline until) {
  return list_names(*backend_, prefix, from, until);
}

// The servers of a cluster are mostly set up alike: one sentence then names them all.
std::vector<std::string> RedisSession::warnings() const {
  const Options& options = backend_->options();
  std::vector<std::string> all;
  std::vector<std::string> servers;  // that the warning of the same index is about
  for (const ServerInfo& server : backend_->server_infos()) {
    for (std::string& warning :
         redis::warnings(server, options.acks.of(server.replicas))) {
      const auto same = std::find(all.begin(), all.end(), warning);
      const auto index = static_cast<std::size_t>(same - all.begin());
      if (same == all.end()) {
        all.push_back(std::move(warning));
        servers.push_back(server.where);
      } else {
        servers[index] += ", " + server.where;
      }
    }
  }
  if (!options.is_cluster()) return all;
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = servers[i] + ": " + all[i];
  return all;
}

}  // namespace holdfast::redis
