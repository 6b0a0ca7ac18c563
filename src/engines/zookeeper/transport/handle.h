// engines/zookeeper/transport/handle.h - one session at the servers.

#pragma once

#include <zookeeper/zookeeper.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "engines/zookeeper/errors.h"
#include "engines/zookeeper/options.h"
#include "engines/zookeeper/session_lease.h"
#include "engines/zookeeper/wakeups.h"
#include "holdfast/engine/claim.h"

namespace holdfast::zookeeper {

class Handle;

// Called by the library's thread.
class SessionEvents {
 public:
  virtual ~SessionEvents() = default;
  virtual void state_changed(Handle& handle) noexcept = 0;
};

// The library's handle, and what is known of its session. Safe for concurrent use, but
// never destroyed on the library's own thread.
class Handle {
 public:
  enum class State : std::uint8_t { connecting, connected, expired, refused };

  // Connects in the background.
  Handle(const Options& options, std::chrono::milliseconds ttl, WatchRegistry& watches,
         SessionEvents& events);
  ~Handle();  // ends the session, and every node that hangs on it
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  zhandle_t* raw() const noexcept { return raw_; }
  const ACL_vector* acl() const noexcept { return acl_; }
  State state() const noexcept { return state_.load(); }

  const std::string& where() const noexcept { return where_; }  // for messages

  // Of the session; zero: it was never connected.
  std::int64_t id() const noexcept { return id_.load(); }
  engine::Lease timeout() const noexcept { return engine::Lease(timeout_.load()); }

  // What was sent then has come so far, as its answer says.
  void answered(Clock::time_point sent, Reach reach) noexcept;
  // The session lives for at least its timeout from then on.
  Clock::time_point alive_from() const noexcept { return lease_.alive_from(); }

  // A handle that has no session by then is replaced by another one: of a session that
  // it opened later nobody would know how old it is. max(): it has one.
  Clock::time_point open_by() const noexcept;

  // Sends a sign of life, and when the next one is due; max(): there is no connection.
  // For one thread.
  void send_heartbeat();
  Clock::time_point next_heartbeat() const noexcept;

  // For requests with a watch: the function that goes with a key of Ears.
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
  SessionLease lease_{created_at_};
  zhandle_t* raw_ = nullptr;
};

}  // namespace holdfast::zookeeper
