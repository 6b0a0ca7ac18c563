// SPDX-License-Identifier: Apache-2.0

// engines/etcd/transport/channels.h - connections to the members of a cluster, one of
// which is in use.

#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "engines/etcd/options.h"
#include "holdfast/clock.h"
#include "holdfast/retry.h"

namespace grpc {
class Channel;
class ChannelCredentials;
}  // namespace grpc

namespace holdfast::etcd {

// Calls and streams have a connection each, because on a shared one the answers to many
// calls would delay events. The class is safe for concurrent use.
//
// A connection can be dead without being closed, for example when the host has lost its
// power. So a connection on which an answer did not come is replaced.
class Channels {
 public:
  // Errc::denied: a TLS file cannot be read.
  static Result<std::unique_ptr<Channels>> open(const Options& options,
                                                const RetryPolicy& retry);

  enum class For : std::uint8_t { calls, streams };
  struct MemberChannel {
    std::size_t index = 0;
    std::shared_ptr<grpc::Channel> channel;
    bool operator==(const MemberChannel&) const = default;
  };
  const RetryPolicy& retry() const noexcept { return retry_; }
  std::size_t size() const noexcept { return options_.hosts.size(); }
  MemberChannel current(For what) const;
  std::string where(std::size_t member) const;  // "h1:2379", for messages

  // Switches to the next member, unless `member` is no longer the current one.
  void switch_from(const MemberChannel& member);
  // Does the same, and also closes its connections and makes them anew, unless they are
  // young.
  void replace(const MemberChannel& member);

 private:
  struct TimedChannel {
    std::shared_ptr<grpc::Channel> channel;
    Clock::time_point since;
  };
  struct MemberChannels {
    std::array<TimedChannel, 2> channels;
  };
  Channels(const Options& options, const RetryPolicy& retry,
           std::shared_ptr<grpc::ChannelCredentials> credentials);
  TimedChannel connect(std::size_t member, For what) const;

  const Options options_;
  const RetryPolicy retry_;
  const std::shared_ptr<grpc::ChannelCredentials> credentials_;
  mutable base::Mutex mutex_;
  std::vector<MemberChannels> members_ HOLDFAST_GUARDED_BY(mutex_);
  std::size_t current_ HOLDFAST_GUARDED_BY(mutex_) = 0;
};

}  // namespace holdfast::etcd
