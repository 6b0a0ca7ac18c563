// SPDX-License-Identifier: Apache-2.0

#include "interop/redis/redis_interop.h"

#include <cstdlib>
#include <stdexcept>

#include "support/eventually.h"
#include "support/redis_cluster.h"

namespace holdfast::test {
namespace {

RedisServer& one_server() {
  static RedisServer server;
  return server;
}

RedisCluster& cluster() {
  static RedisCluster cluster;
  return cluster;
}

// A death costs seconds. In a cluster there is one for each way in which leases are
// renewed, because only renewals differ there.
std::vector<const char*> mortal() {
  if (in_cluster()) return {"RLock", "RReadLock", "RPermitExpirableSemaphore"};
  return {"RLock",     "RFairLock",  "RFencedLock",
          "RReadLock", "RWriteLock", "RPermitExpirableSemaphore"};
}

}  // namespace

bool in_cluster() {
  const char* const set = std::getenv("HOLDFAST_INTEROP_TOPOLOGY");
  const std::string topology = set == nullptr ? "server" : set;
  if (topology != "server" && topology != "cluster") {
    throw std::runtime_error("HOLDFAST_INTEROP_TOPOLOGY is server or cluster, not " +
                             topology);
  }
  return topology == "cluster";
}

RedisServer& server_of(const std::string& name) {
  return in_cluster() ? cluster()[cluster().primary_of(name)] : one_server();
}

const Kinds& kinds() {
  static const Kinds all = {
      .exclusive = {"RLock", "RFairLock", "RFencedLock", "RWriteLock", "RSemaphore",
                    "RPermitExpirableSemaphore"},
      .counted = {"RSemaphore", "RPermitExpirableSemaphore"},
      .mortal = mortal(),
      .passes = {{"RLock", "RLock"},
                 {"RFairLock", "RFairLock"},
                 {"RFencedLock", "RFencedLock"},
                 {"RWriteLock", "RWriteLock"},
                 {"RWriteLock", "RReadLock"},
                 {"RReadLock", "RWriteLock"},
                 {"RSemaphore", "RSemaphore"},
                 {"RPermitExpirableSemaphore", "RPermitExpirableSemaphore"}},
      .reader = "RReadLock",
      .writer = "RWriteLock",
      .unrenewed = "RPermitExpirableSemaphore"};
  return all;
}

std::string Interop::url() {
  return in_cluster() ? cluster().url() : one_server().url();
}

Peer Interop::start_peer(PeerOptions options) {
  return Peer("redisson", url(), options);
}

testing::AssertionResult Interop::awaited(const std::string& name) {
  const std::string channels = in_cluster() ? "SHARDCHANNELS" : "CHANNELS";
  const auto listened_to = [&] {
    return !server_of(name).command({"PUBSUB", channels, "*{" + name + "}*"}).empty();
  };
  if (eventually(listened_to)) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "no client waits for " << name;
}

}  // namespace holdfast::test
