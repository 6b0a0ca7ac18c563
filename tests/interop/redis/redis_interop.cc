// SPDX-License-Identifier: Apache-2.0

#include "interop/redis/redis_interop.h"

#include "support/eventually.h"

namespace holdfast::test {

RedisServer& redis() {
  static RedisServer server;
  return server;
}

const Kinds& kinds() {
  static const Kinds all = {
      .exclusive = {"RLock", "RFairLock", "RFencedLock", "RWriteLock", "RSemaphore",
                    "RPermitExpirableSemaphore"},
      .counted = {"RSemaphore", "RPermitExpirableSemaphore"},
      .mortal = {"RLock", "RFairLock", "RFencedLock", "RReadLock", "RWriteLock",
                 "RPermitExpirableSemaphore"},
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

std::string Interop::url() { return redis().url(); }

Peer Interop::start_peer(PeerOptions options) {
  return Peer("redisson", url(), options);
}

testing::AssertionResult Interop::awaited(const std::string& name) {
  const auto listened_to = [&] {
    return !redis().command({"PUBSUB", "CHANNELS", "*{" + name + "}*"}).empty();
  };
  if (eventually(listened_to)) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "no client waits for " << name;
}

}  // namespace holdfast::test
