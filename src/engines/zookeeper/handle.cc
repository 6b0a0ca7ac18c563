#include "engines/zookeeper/handle.h"

#include <netdb.h>

#include <algorithm>
#include <limits>
#include <string>

namespace holdfast::zookeeper {
namespace {

constexpr int kNeverResolve = -1;
constexpr int kResolveWhileLost = 1000;  // ms: its address may have changed

// The library writes its lines through one buffer for all threads, also those that
// nobody reads.
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

// The library does not start at all when one of the names is not known.
std::string known_hosts(Options options) {
  const auto all = options.hosts;
  std::erase_if(options.hosts, [](const base::Host& host) { return !is_known(host); });
  if (options.hosts.empty()) options.hosts = all;
  return options.spelt();
}

}  // namespace

// The library would look the hosts up again before every request.
Handle::Handle(const Options& options, std::chrono::milliseconds ttl, Ears& ears,
               SessionEvents& events)
    : where_(options.spelt()),
      ears_(ears),
      events_(events),
      acl_(options.user.empty() ? &ZOO_OPEN_ACL_UNSAFE : &ZOO_CREATOR_ALL_ACL) {
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
  if (raw_ != nullptr) zookeeper_close(raw_);
}

void Handle::answered(Clock::time_point sent) noexcept {
  const std::int64_t when = sent.time_since_epoch().count();
  std::int64_t last = alive_from_.load();
  while (last < when && !alive_from_.compare_exchange_weak(last, when)) {
  }
}

// A watch also hears of the session, which is not for it.
void Handle::on_event(zhandle_t* raw, int type, int state, const char* path,
                      void* key) {
  auto* const self =
      static_cast<Handle*>(const_cast<void*>(zoo_get_context(raw)));  // NOLINT
  if (type != ZOO_SESSION_EVENT) {
    self->ears_.heard(reinterpret_cast<Ears::Key>(key), path != nullptr ? path : "",
                      type == ZOO_DELETED_EVENT);
  } else if (key == self) {
    self->session_event(raw, state);
  }
}

void Handle::session_event(zhandle_t* raw, int state) noexcept {
  if (state == ZOO_CONNECTED_STATE) {
    zoo_set_servers_resolution_delay(raw, kNeverResolve);
    timeout_.store(
        engine::Lease(std::chrono::milliseconds(zoo_recv_timeout(raw))).count());
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
