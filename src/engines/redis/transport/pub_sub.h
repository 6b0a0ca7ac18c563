// SPDX-License-Identifier: Apache-2.0

// engines/redis/transport/pub_sub.h - publish/subscribe: one subscriber connection for
// all channels.
//
// The connection's thread starts with the first subscription; it connects and reads. A
// caller that subscribes writes the command itself. After the connection breaks, the
// thread reconnects with a growing pause, subscribes to every channel again and tells
// every subscriber that it may have missed a message.

#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "engines/redis/transport/channels.h"
#include "engines/redis/transport/reply.h"
#include "engines/redis/transport/route.h"
#include "engines/redis/transport/subscriptions.h"
#include "holdfast/retry.h"

namespace holdfast::redis {

// The class is safe for concurrent use.
class PubSub final : public Channels {
 public:
  explicit PubSub(Route route, const RetryPolicy& retry = {});
  // Makes one for the shard channels of one server of a cluster. `misplaced` is called
  // on the connection's thread, with the mutex held, when the server cannot be reached
  // or has said that a channel's slot is elsewhere. It must not block.
  PubSub(Route route, std::function<void()> misplaced, const RetryPolicy& retry);
  ~PubSub() override;
  PubSub(const PubSub&) = delete;
  PubSub& operator=(const PubSub&) = delete;

  bool is_subscribed(const std::string& channel) const override;
  Result<void> subscribe(const std::string& channel,
                         std::shared_ptr<ChannelListener> subscriber,
                         engine::Deadline until) override;
  void unsubscribe(const std::string& channel,
                   const ChannelListener& subscriber) noexcept override;

  // Moves the channels for which `is_elsewhere` is true, with their subscribers, to the
  // servers that `home_of` names.
  void move_away(const std::function<bool(std::string_view)>& is_elsewhere,
                 const std::function<PubSub*(std::string_view)>& home_of);

  // Reconnects at once, because the connection may lead to a replica.
  void reconnect() noexcept;

 private:
  PubSub(Route route, ChannelType type, std::function<void()> misplaced,
         const RetryPolicy& retry);

  std::vector<Subscriptions::Moved> take(
      const std::function<bool(std::string_view)>& is_elsewhere)
      HOLDFAST_EXCLUDES(mutex_);
  void adopt(const Subscriptions::Moved& moved) noexcept HOLDFAST_EXCLUDES(mutex_);

  bool ensure_started() HOLDFAST_REQUIRES(mutex_);
  void report_misplaced() HOLDFAST_REQUIRES(mutex_);
  void run() HOLDFAST_EXCLUDES(mutex_);
  bool survives(bool (PubSub::*step)()) HOLDFAST_REQUIRES(mutex_);
  bool connect() HOLDFAST_REQUIRES(mutex_);
  void disconnect() HOLDFAST_REQUIRES(mutex_);
  bool receive() HOLDFAST_REQUIRES(mutex_);
  bool read() HOLDFAST_REQUIRES(mutex_);
  bool write() noexcept HOLDFAST_REQUIRES(mutex_);

  const Route route_;
  const std::function<void()> misplaced_;
  const RetryPolicy retry_;
  mutable base::Mutex mutex_;
  base::CondVar stopped_;
  bool stopping_ HOLDFAST_GUARDED_BY(mutex_) = false;
  std::thread thread_ HOLDFAST_GUARDED_BY(mutex_);
  Subscriptions subscriptions_ HOLDFAST_GUARDED_BY(mutex_);
  std::unique_ptr<Stream> stream_ HOLDFAST_GUARDED_BY(mutex_);
  std::optional<ReplyReader> reader_ HOLDFAST_GUARDED_BY(mutex_);
  std::string out_ HOLDFAST_GUARDED_BY(mutex_);
  std::optional<Failure> why_disconnected_ HOLDFAST_GUARDED_BY(mutex_);
  Clock::time_point received_at_ HOLDFAST_GUARDED_BY(mutex_);
  bool pinged_ HOLDFAST_GUARDED_BY(mutex_) = false;
};

}  // namespace holdfast::redis
