// SPDX-License-Identifier: Apache-2.0

// engines/zookeeper/transport/handle.h - one ZooKeeper session, through the library's
// handle.

#pragma once

#include <zookeeper/zookeeper.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "engines/zookeeper/errors.h"
#include "engines/zookeeper/liveness_proof.h"
#include "engines/zookeeper/options.h"
#include "engines/zookeeper/wakeups.h"
#include "holdfast/engine/claim.h"

namespace holdfast::zookeeper {

class Handle;

// It is called in the library's thread.
class SessionEvents {
 public:
  virtual ~SessionEvents() = default;
  virtual void state_changed(Handle& handle) noexcept = 0;
};

// The library's handle, and what is known of its session. The class is safe for
// concurrent use, but a handle must not be destroyed in the library's own thread.
class Handle {
 public:
  enum class State : std::uint8_t { connecting, connected, expired, refused };

  // Connects in the background.
  Handle(const Options& options, std::chrono::milliseconds ttl, WatchRegistry& watches,
         SessionEvents& events);
  ~Handle();  // ends the session, and deletes its ephemeral nodes
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  zhandle_t* raw() const noexcept { return raw_; }
  const ACL_vector* acl() const noexcept { return acl_; }
  State state() const noexcept { return state_.load(); }

  const std::string& where() const noexcept { return where_; }  // for messages

  // These return the id of the session and its timeout, which are zero if it was never
  // connected.
  std::int64_t id() const noexcept { return id_.load(); }
  engine::LeaseTime timeout() const noexcept {
    return engine::LeaseTime(timeout_.load());
  }

  // A request that was sent at `sent` has been answered, and has come so far.
  void answered(Clock::time_point sent, Reach reach) noexcept;
  // The session is alive for at least its timeout from this time on.
  Clock::time_point alive_from() const noexcept { return liveness_.alive_from(); }

  // A handle that has no session by this time is replaced, because the age of a session
  // that it opens later would not be known. The time is max() if the handle has one.
  Clock::time_point open_by() const noexcept;

  // These send a heartbeat, and return when the next one is due, which is max() if
  // there is no connection. Both are for one thread.
  void send_heartbeat();
  Clock::time_point next_heartbeat() const noexcept;

  // The library calls it for requests with a WatchRegistry key.
  static void on_event(zhandle_t* raw, int type, int state, const char* path,
                       void* key);

 private:
  struct Heartbeat;
  static void on_heartbeat(int code, const Stat* stat, const void* data);
  void session_event(zhandle_t* raw, int state) noexcept;
  Clock::duration report_interval() const noexcept;

  const std::string where_;
  WatchRegistry& watches_;
  SessionEvents& events_;
  const ACL_vector* const acl_;
  const std::chrono::milliseconds ttl_;
  const std::optional<std::chrono::milliseconds> tick_time_;
  std::atomic<State> state_{State::connecting};
  std::atomic<std::int64_t> id_{0};
  std::atomic<std::int64_t> timeout_{0};
  const Clock::time_point created_at_ = Clock::now();
  Clock::time_point last_heartbeat_ = created_at_;
  LivenessProof liveness_{created_at_};
  zhandle_t* raw_ = nullptr;
};

}  // namespace holdfast::zookeeper
