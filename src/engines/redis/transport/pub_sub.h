// SPDX-License-Identifier: Apache-2.0

// engines/redis/transport/pub_sub.h - publish/subscribe: one subscriber connection for
// all channels.
//
// The connection's thread starts with the first subscription. After the connection
// breaks, the thread reconnects with a growing pause, subscribes to every channel again
// and tells every subscriber that it may have missed a message.

#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "engines/redis/transport/route.h"
#include "holdfast/engine/claim.h"
#include "holdfast/result.h"
#include "holdfast/retry.h"

namespace holdfast::redis {

// A listener is called on the connection's thread with the mutex of PubSub held. It
// must not block, must not call PubSub, and must not take a mutex under which another
// thread calls PubSub.
class ChannelListener {
 public:
  virtual ~ChannelListener() = default;
  virtual void on_message(std::string_view message) noexcept = 0;
  virtual void on_gap() noexcept = 0;  // a message may have been missed
};

// The channels of one server, or of a cluster. The class is safe for concurrent use.
class Channels {
 public:
  virtual ~Channels() = default;

  // Returns whether the server has confirmed the subscription on the present
  // connection.
  virtual bool is_subscribed(const std::string& channel) const = 0;

  // Adds a subscriber, which is kept until `unsubscribe`; several subscribers may share
  // a channel. The call waits until the server has confirmed the subscription, so that
  // every message that is published after it returns reaches it. A failure means that
  // the server did not confirm by `until`; the subscriber stays, and gets messages once
  // the server confirms. Errc::full means that the system has no thread to listen; the
  // subscriber stays, and the next call tries again.
  virtual Result<void> subscribe(const std::string& channel,
                                 std::shared_ptr<ChannelListener> subscriber,
                                 engine::Deadline until) = 0;

  // After this, no call to the subscriber starts. A channel without subscribers stays
  // subscribed for a few seconds, because a client that waited once often waits again.
  virtual void unsubscribe(const std::string& channel,
                           const ChannelListener& subscriber) noexcept = 0;
};

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
  class Thread;
  const std::unique_ptr<Thread> thread_;
};

}  // namespace holdfast::redis
