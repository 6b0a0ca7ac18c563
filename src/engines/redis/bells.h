// engines/redis/bells.h - messages: one subscriber connection for all channels.
//
// Its thread starts with the first subscription. When the connection breaks it is made
// anew with a growing pause, every channel is subscribed again, and every listener is
// told that it may have missed something.

#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "engines/redis/options.h"
#include "holdfast/engine/claim.h"
#include "holdfast/result.h"
#include "holdfast/retry.h"

namespace holdfast::redis {

// Called on the subscriber's thread, with the lock of Bells held: must not block, must
// not call Bells, and takes no lock under which anybody calls Bells.
class Listener {
 public:
  virtual ~Listener() = default;
  virtual void heard(std::string_view message) noexcept = 0;
  virtual void missed() noexcept = 0;  // something may have been said meanwhile
};

// Safe for concurrent use.
class Bells {
 public:
  explicit Bells(Place place, const RetryPolicy& retry = {});
  ~Bells();
  Bells(const Bells&) = delete;
  Bells& operator=(const Bells&) = delete;

  // Whether the server confirmed the channel, and the connection has not broken since.
  bool hears(const std::string& channel) const;

  // Adds a listener, once, which is kept until `forget`; several may share a channel.
  // Waits until the server has confirmed, so that whatever is published after this is
  // heard. Failure: not confirmed by `until`; the listener stays, and hears later.
  Result<void> listen(const std::string& channel, std::shared_ptr<Listener> listener,
                      engine::Deadline until);

  // After this no call to the listener starts. A channel without listeners stays
  // subscribed for a few seconds, because who waited once often waits again.
  void forget(const std::string& channel, const Listener& listener) noexcept;

  // Makes the connection anew, if there is one: it may lead to a replica.
  void reconnect() noexcept;

 private:
  class Thread;
  const std::unique_ptr<Thread> thread_;
};

}  // namespace holdfast::redis
