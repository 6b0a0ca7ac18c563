// SPDX-License-Identifier: Apache-2.0

// holdfast/redis_fence.h - the check that data in Redis makes.
//
// What a lock protects may be kept in Redis, wherever the lock itself is. Then Redis
// can refuse a holder that woke up too late: a key beside the data remembers the
// largest token that it has seen, and one script checks the token and runs your own
// command, in one round trip.
//
//   const auto fence = holdfast::RedisFence::of("stock:1001:fence").value();
//   auto look = fence.read(token, {"stock:1001"}, {"GET", "stock:1001"});
//   auto sell = fence.write(token, {"stock:1001"}, {"DECR", "stock:1001"});
//
// What they return are the words of a whole command (EVAL and its arguments) for any
// client library; with hiredis, redisCommandArgv sends them. The reply is that of your
// command. If the token is stale, your command is not run, and the reply is an error:
//
//   auto why = holdfast::RedisFence::explain_error(reply);     // Errc::stale_token
//
// It is not enough to fence writes only: show the token at the *first read*, too
// (docs/guarantees.md shows the schedule).
//
// One key is for one lock, since tokens of two names cannot be compared; it may guard
// any number of data keys. It must live as long as they do: it gets no time to live,
// and a server that evicts keys, or forgets its last writes in a failover, forgets the
// token with them. In a Redis Cluster the fence and the data must be in one slot: put
// the same tag in braces into all of their names. The holders of a semaphore cannot be
// fenced against each other, and a lock without a token (some `quorum:`, mysql with
// `?mode=getlock`) cannot be fenced at all.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "holdfast/export.h"
#include "holdfast/hold.h"
#include "holdfast/result.h"

namespace holdfast::inline v0 {

// Makes such commands. A RedisFence is immutable.
class HOLDFAST_EXPORT RedisFence {
 public:
  using Words = std::vector<std::string>;

  // Makes a fence that remembers the largest token in this key. The key holds a decimal
  // number. Errc::bad_argument: the key is empty.
  static Result<RedisFence> of(std::string_view key);

  // Return the command that checks and remembers the token and then runs `command`,
  // whose keys are `keys`. `read` and `write` do the same; the names are for the reader
  // of the code. Errc::bad_argument: the token is empty, or there is no command.
  Result<Words> read(FencingToken token, const Words& keys, const Words& command) const;
  Result<Words> write(FencingToken token, const Words& keys,
                      const Words& command) const;

  // Returns the command for the token of a shared holder. It is compared with the
  // largest token of an exclusive holder and not remembered, since readers do not fence
  // each other.
  Result<Words> read_shared(FencingToken token, const Words& keys,
                            const Words& command) const;

  // Says what an error reply to such a command means; `reply` is its text.
  // Errc::stale_token: the fence has seen a larger token. Stop working: the lock is
  // lost. Errc::bad_argument: the key of the fence holds something else than a token.
  // Success: the token was not the reason; your own command has failed.
  static Result<void> explain_error(std::string_view reply);

 private:
  explicit RedisFence(std::string_view key) : key_(key) {}
  Result<Words> fenced(bool remember, FencingToken token, const Words& keys,
                       const Words& command) const;

  std::string key_;
};

}  // namespace holdfast::inline v0
