// engines/redis/bells.h - publish/subscribe: one subscriber connection for all
// channels.
//
// The connection's thread starts with the first subscription. After the connection
// breaks, the thread reconnects with a growing pause, subscribes to every channel again
// and tells every listener that it may have missed a message.

#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "engines/redis/options.h"
#include "holdfast/engine/claim.h"
#include "holdfast/result.h"
#include "holdfast/retry.h"

namespace holdfast::redis {

// A listener is called on the subscriber's thread with the mutex of Bells held. It must
// not block, must not call Bells, and must not take a mutex under which another thread
// calls Bells.
class Listener {
 public:
  virtual ~Listener() = default;
  virtual void heard(std::string_view message) noexcept = 0;
  virtual void missed() noexcept = 0;  // a message may have been missed
};

// The class is safe for concurrent use.
class Bells {
 public:
  explicit Bells(Place place, const RetryPolicy& retry = {});
  ~Bells();
  Bells(const Bells&) = delete;
  Bells& operator=(const Bells&) = delete;

  // Returns whether the server has confirmed the subscription on the present
  // connection.
  bool hears(const std::string& channel) const;

  // Adds a listener, which is kept until `forget`; several listeners may share a
  // channel. The call waits until the server has confirmed the subscription, so that
  // every message that is published after it returns is heard. A failure means that the
  // server did not confirm by `until`; the listener stays, and hears messages once the
  // server confirms.
  Result<void> listen(const std::string& channel, std::shared_ptr<Listener> listener,
                      engine::Deadline until);

  // After this, no call to the listener starts. A channel without listeners stays
  // subscribed for a few seconds, because a client that waited once often waits again.
  void forget(const std::string& channel, const Listener& listener) noexcept;

  // Reconnects if there is a connection, because it may lead to a replica.
  void reconnect() noexcept;

 private:
  class Thread;
  const std::unique_ptr<Thread> thread_;
};

}  // namespace holdfast::redis
