// engines/zookeeper/handle.h - one session at the servers.

#pragma once

#include <zookeeper/zookeeper.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>

#include "engines/zookeeper/ears.h"
#include "engines/zookeeper/options.h"
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
  Handle(const Options& options, std::chrono::milliseconds ttl, Ears& ears,
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

  // The server has answered what was sent then: from then on the session lives for at
  // least its timeout.
  void answered(Clock::time_point sent) noexcept;
  Clock::time_point alive_from() const noexcept {
    return Clock::time_point(Clock::duration(alive_from_.load()));
  }

  // For requests with a watch: the function that goes with a key of Ears.
  static void on_event(zhandle_t* raw, int type, int state, const char* path,
                       void* key);

 private:
  void session_event(zhandle_t* raw, int state) noexcept;

  const std::string where_;
  Ears& ears_;
  SessionEvents& events_;
  const ACL_vector* const acl_;
  std::atomic<State> state_{State::connecting};
  std::atomic<std::int64_t> id_{0};
  std::atomic<std::int64_t> timeout_{0};
  std::atomic<std::int64_t> alive_from_{0};
  zhandle_t* raw_ = nullptr;
};

}  // namespace holdfast::zookeeper
