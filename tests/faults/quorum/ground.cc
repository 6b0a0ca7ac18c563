// SPDX-License-Identifier: Apache-2.0

#include "faults/quorum/ground.h"

#include "support/eventually.h"

namespace holdfast::test {

std::string Five::url() const {
  std::string url;
  for (const RedisServer& each : servers_) {
    url += (url.empty() ? "quorum:" : ",") + each.url();
  }
  return url;
}

long Five::subscribers(std::size_t node, const std::string& mutex) const {
  RedisSocket redis(servers_[node].port());
  const std::string channel = "redisson_lock__channel:{" + mutex + "}";
  return redis.call({"PUBSUB", "NUMSUB", channel}).items.at(1).number();
}

bool Five::has_waiter(const std::string& mutex) const {
  return eventually([&] { return subscribers(0, mutex) > 0; });
}

bool Five::is_clean(std::size_t node) const {
  return eventually([&] { return left_behind(servers_[node]).empty(); });
}

}  // namespace holdfast::test
