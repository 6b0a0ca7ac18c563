// SPDX-License-Identifier: Apache-2.0

#include "engines/zookeeper/transport/handle.h"

#include <netdb.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <string>

#include "engines/zookeeper/transport/xids.h"

namespace holdfast::zookeeper {
namespace {

constexpr int kNeverResolve = -1;
constexpr std::chrono::seconds kLongestUsualTick{3};  // if none is configured
constexpr std::chrono::milliseconds kShortestOpening{500};
constexpr int kHeartbeats = 10;          // in the timeout of a session
constexpr int kResolveWhileLost = 1000;  // ms: an address may have changed

// The library writes its log lines through one buffer for all threads, even if they are
// discarded.
void silence() {
  static const bool once = [] {
    constexpr ZooLogLevel kNothing{};
    zoo_set_debug_level(kNothing);
    return true;
  }();
  (void)once;
}

void drop_log_line(const char*) {}

void ignore(int, const void*) {}

int to_int(std::chrono::milliseconds span) noexcept {
  constexpr std::int64_t kMost = std::numeric_limits<int>::max();
  return static_cast<int>(std::min<std::int64_t>(span.count(), kMost));
}

bool is_known(const base::Host& host) {
  addrinfo* found = nullptr;
  if (getaddrinfo(host.name.c_str(), nullptr, nullptr, &found) != 0) return false;
  freeaddrinfo(found);
  return true;
}

// The library does not start at all if one of the names cannot be resolved.
std::string known_hosts(Options options) {
  const auto all = options.hosts;
  std::erase_if(options.hosts, [](const base::Host& host) { return !is_known(host); });
  if (options.hosts.empty()) options.hosts = all;
  return options.spelt();
}

}  // namespace

// The resolution delay is set because the library would otherwise resolve the hosts
// before every request.
Handle::Handle(const Options& options, std::chrono::milliseconds ttl,
               WatchRegistry& watches, SessionEvents& events)
    : where_(options.spelt()),
      watches_(watches),
      events_(events),
      acl_(options.user.empty() ? &ZOO_OPEN_ACL_UNSAFE : &ZOO_CREATOR_ALL_ACL),
      ttl_(ttl),
      tick_time_(options.tick_time) {
  silence();
  raw_ = zookeeper_init2(known_hosts(options).c_str(), on_event, to_int(ttl), nullptr,
                         this, ZOO_NO_LOG_CLIENTENV, drop_log_line);
  if (raw_ == nullptr) {
    state_.store(State::refused);
    return;
  }
  zoo_set_servers_resolution_delay(raw_, kNeverResolve);
  if (options.user.empty()) return;
  const std::string who = options.user + ":" + options.password.reveal();
  zoo_add_auth(raw_, "digest", who.data(), static_cast<int>(who.size()), ignore,
               nullptr);
}

Handle::~Handle() {
  if (raw_ == nullptr) return;
  if (state() == State::connected) take_xid(raw_);  // that ends the session
  zookeeper_close(raw_);
}

void Handle::answered(Clock::time_point sent, Reach reach) noexcept {
  if (reach == Reach::nowhere) return;
  liveness_.answered(sent, Clock::now(), reach == Reach::majority, report_interval());
}

// A follower reports twice a tick; a tenth of a tick is added for late reports. By
// default, a server gives no session less than two ticks.
Clock::duration Handle::report_interval() const noexcept {
  const Clock::duration tick =
      tick_time_ ? Clock::duration(*tick_time_)
                 : std::min<Clock::duration>(kLongestUsualTick, timeout() / 2);
  return tick * 3 / 5;
}

Clock::time_point Handle::open_by() const noexcept {
  if (state() != State::connecting || id() != 0) return Clock::time_point::max();
  return created_at_ + std::max<Clock::duration>(ttl_ / 4, kShortestOpening);
}

struct Handle::Heartbeat {
  Handle& handle;
  Clock::time_point sent;
};

// The library keeps the session alive by itself, but does not tell when it did. Our
// heartbeats, whose times are known, make its own unnecessary.
void Handle::send_heartbeat() {
  last_heartbeat_ = Clock::now();
  auto* const context = new Heartbeat{*this, last_heartbeat_};
  take_xid(raw_);
  const int code = zoo_awexists(raw_, "/", nullptr, nullptr, on_heartbeat, context);
  if (code != ZOK) on_heartbeat(code, nullptr, context);
}

void Handle::on_heartbeat(int code, const Stat*, const void* data) {
  const std::unique_ptr<const Heartbeat> heartbeat(static_cast<const Heartbeat*>(data));
  heartbeat->handle.answered(heartbeat->sent, reach_of(Request::read, code));
}

Clock::time_point Handle::next_heartbeat() const noexcept {
  if (state() != State::connected) return Clock::time_point::max();
  return std::max(liveness_.last_sent(), last_heartbeat_) + timeout() / kHeartbeats;
}

// Watches are also called for session events, which are not meant for them.
void Handle::on_event(zhandle_t* raw, int type, int state, const char* path,
                      void* key) {
  auto* const self =
      static_cast<Handle*>(const_cast<void*>(zoo_get_context(raw)));  // NOLINT
  if (type != ZOO_SESSION_EVENT) {
    self->watches_.on_event(reinterpret_cast<WatchRegistry::Key>(key),
                            path != nullptr ? path : "", type == ZOO_DELETED_EVENT);
  } else if (key == self) {
    self->session_event(raw, state);
  }
}

void Handle::session_event(zhandle_t* raw, int state) noexcept {
  if (state == ZOO_CONNECTED_STATE) {
    zoo_set_servers_resolution_delay(raw, kNeverResolve);
    timeout_.store(
        engine::LeaseTime(std::chrono::milliseconds(zoo_recv_timeout(raw))).count());
    id_.store(zoo_client_id(raw)->client_id);
    state_.store(State::connected);
  } else if (state == ZOO_EXPIRED_SESSION_STATE) {
    state_.store(State::expired);
  } else if (state == ZOO_AUTH_FAILED_STATE) {
    state_.store(State::refused);
  } else {
    zoo_set_servers_resolution_delay(raw, kResolveWhileLost);
    state_.store(State::connecting);
  }
  events_.state_changed(*this);
}

}  // namespace holdfast::zookeeper
