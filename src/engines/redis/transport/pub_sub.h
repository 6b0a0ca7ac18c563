// SPDX-License-Identifier: Apache-2.0

// engines/redis/transport/pub_sub.h - publish/subscribe: one subscriber connection for
// all channels.
//
// The connection's thread starts with the first subscription. After the connection
// breaks, the thread reconnects with a growing pause, subscribes to every channel again
// and tells every subscriber that it may have missed a message.

#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "engines/redis/options.h"
#include "holdfast/engine/claim.h"
#include "holdfast/result.h"
#include "holdfast/retry.h"

namespace holdfast::redis {

// A subscriber is called on the connection's thread with the mutex of PubSub held. It
// must not block, must not call PubSub, and must not take a mutex under which another
// thread calls PubSub.
class Subscriber {
 public:
  virtual ~Subscriber() = default;
  virtual void on_message(std::string_view message) noexcept = 0;
  virtual void on_gap() noexcept = 0;  // a message may have been missed
};

// The class is safe for concurrent use.
class PubSub {
 public:
  explicit PubSub(Endpoint endpoint, const RetryPolicy& retry = {});
  ~PubSub();
  PubSub(const PubSub&) = delete;
  PubSub& operator=(const PubSub&) = delete;

  // Returns whether the server has confirmed the subscription on the present
  // connection.
  bool is_subscribed(const std::string& channel) const;

  // Adds a subscriber, which is kept until `unsubscribe`; several subscribers may share
  // a channel. The call waits until the server has confirmed the subscription, so that
  // every message that is published after it returns reaches it. A failure means that
  // the server did not confirm by `until`; the subscriber stays, and gets messages once
  // the server confirms.
  Result<void> subscribe(const std::string& channel,
                         std::shared_ptr<Subscriber> subscriber,
                         engine::Deadline until);

  // After this, no call to the subscriber starts. A channel without subscribers stays
  // subscribed for a few seconds, because a client that waited once often waits again.
  void unsubscribe(const std::string& channel, const Subscriber& subscriber) noexcept;

  // Reconnects if there is a connection, because it may lead to a replica.
  void reconnect() noexcept;

 private:
  class Thread;
  const std::unique_ptr<Thread> thread_;
};

}  // namespace holdfast::redis
