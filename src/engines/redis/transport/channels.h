// SPDX-License-Identifier: Apache-2.0

// engines/redis/transport/channels.h - the channels of publish/subscribe, as its
// subscribers see them.

#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "holdfast/engine/claim.h"
#include "holdfast/result.h"

namespace holdfast::redis {

// A listener is called on the thread of the connection, with a mutex of the channels
// held. It must not block, must not call them, and must not take a mutex under which
// another thread calls them.
class ChannelListener {
 public:
  virtual ~ChannelListener() = default;
  virtual void on_message(std::string_view message) noexcept = 0;
  virtual void on_gap() noexcept = 0;  // a message may have been missed
};

// These are the channels of one server, or of a cluster. The class is safe for
// concurrent use.
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

}  // namespace holdfast::redis
