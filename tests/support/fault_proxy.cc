// SPDX-License-Identifier: Apache-2.0

#include "support/fault_proxy.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <list>
#include <mutex>
#include <thread>
#include <vector>

#include "support/fault_line.h"

namespace holdfast::test {

using std::chrono::milliseconds;

namespace {

std::unique_ptr<Wire> make_wire(Protocol protocol) {
  switch (protocol) {
    case Protocol::redis:
      return make_redis_wire();
    case Protocol::zookeeper:
      return make_zookeeper_wire();
    case Protocol::etcd:
      return make_http2_wire();
    case Protocol::bytes:
      return make_byte_wire();
    case Protocol::mysql:
      break;
  }
  return make_mysql_wire();
}

std::string_view scheme_of(Protocol protocol) {
  switch (protocol) {
    case Protocol::redis:
      return "redis";
    case Protocol::zookeeper:
      return "zookeeper";
    case Protocol::etcd:
      return "etcd";
    case Protocol::bytes:
      return "tcp";
    case Protocol::mysql:
      break;
  }
  return "mysql";
}

}  // namespace

class FaultProxy::Loop {
 public:
  Loop(std::uint16_t server_port, Protocol protocol)
      : protocol_(protocol),
        server_port_(server_port),
        thread_([this](const std::stop_token& stop) {
          while (!stop.stop_requested()) turn();
        }) {}

  ~Loop() {
    thread_.request_stop();
    wake();
  }

  std::uint16_t port() const noexcept { return port_; }
  Protocol protocol() const noexcept { return protocol_; }
  FaultPlan& plan() noexcept { return plan_; }

  // Runs between two turns of the thread.
  template <class Change>
  void change(Change what) {
    {
      const std::lock_guard lock(mutex_);
      what(*this);
    }
    wake();
  }

  void freeze_lines(bool on) {
    for (FaultLine& each : lines_) each.freeze(on);
  }
  void cut() { lines_.clear(); }
  void refuse(bool on) { listening_ = on ? Socket() : listen_loopback(port_); }

  bool freezes = false;  // applies to new connections
  milliseconds delay{};

 private:
  void wake() noexcept {
    const std::uint64_t one = 1;
    (void)!write(event_.fd(), &one, sizeof one);
  }

  std::vector<pollfd> watched(milliseconds& pause) const {
    std::vector<pollfd> result{{event_.fd(), POLLIN, 0}, {listening_.fd(), POLLIN, 0}};
    for (const FaultLine& each : lines_) {
      if (each.frozen()) continue;
      result.push_back({each.client(), POLLIN, 0});
      result.push_back({each.server(), POLLIN, 0});
      if (each.due() == FaultLine::Time::max()) continue;
      const auto left = each.due() - std::chrono::steady_clock::now();
      const auto until = std::max(std::chrono::ceil<milliseconds>(left), {});
      pause = pause.count() < 0 ? until : std::min(pause, until);
    }
    return result;
  }

  void turn() {
    std::vector<pollfd> fds;
    milliseconds pause{-1};
    {
      const std::lock_guard lock(mutex_);
      fds = watched(pause);
    }
    poll(fds.data(), fds.size(), static_cast<int>(pause.count()));
    const std::lock_guard lock(mutex_);
    std::uint64_t wakes = 0;
    (void)!read(event_.fd(), &wakes, sizeof wakes);
    lines_.remove_if(
        [this](FaultLine& each) { return !each.frozen() && !each.serve(delay); });
    if (Socket client = accept_on(listening_)) {
      lines_.emplace_back(std::move(client), server_port_, make_wire(protocol_), plan_)
          .freeze(freezes);
    }
  }

  const Protocol protocol_;
  const std::uint16_t server_port_;
  // It reserves the port while no connection is accepted.
  const Socket reserved_ = bind_loopback();
  const std::uint16_t port_ = port_of(reserved_);
  const Socket event_{eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
  FaultPlan plan_;
  std::mutex mutex_;
  Socket listening_ = listen_loopback(port_);
  std::list<FaultLine> lines_;
  std::jthread thread_;
};

FaultProxy::FaultProxy(std::uint16_t server_port, Protocol protocol)
    : loop_(std::make_unique<Loop>(server_port, protocol)) {}

FaultProxy::~FaultProxy() = default;

std::uint16_t FaultProxy::port() const noexcept { return loop_->port(); }

std::string FaultProxy::url(std::string_view rest) const {
  return std::string(scheme_of(loop_->protocol())) +
         "://127.0.0.1:" + std::to_string(port()) + std::string(rest);
}

void FaultProxy::lose_replies(int calls, int passed) {
  loop_->plan().set(Fault::lose_reply, calls, passed);
}

void FaultProxy::lose_requests(int calls, int passed) {
  loop_->plan().set(Fault::lose_request, calls, passed);
}

void FaultProxy::throttle(std::string word, int calls, int passed) {
  loop_->plan().set(Fault::throttle, calls, passed, std::move(word));
}

void FaultProxy::unreachable(bool on) {
  loop_->change([on](Loop& loop) {
    loop.refuse(on);
    if (on) loop.cut();
  });
}

void FaultProxy::freeze() {
  loop_->change([](Loop& loop) {
    loop.freezes = true;
    loop.freeze_lines(true);
  });
}

void FaultProxy::freeze_present() {
  loop_->change([](Loop& loop) { loop.freeze_lines(true); });
}

void FaultProxy::freeze_at_call(int passed) {
  loop_->plan().set(Fault::freeze, 1, passed);
}

bool FaultProxy::froze_at_call() const { return loop_->plan().is_over(); }

void FaultProxy::thaw() {
  loop_->change([](Loop& loop) {
    loop.freezes = false;
    loop.freeze_lines(false);
  });
}

void FaultProxy::delay(milliseconds by) {
  loop_->change([by](Loop& loop) { loop.delay = by; });
}

void FaultProxy::cut_all() {
  loop_->change([](Loop& loop) { loop.cut(); });
}

std::map<std::string, int> FaultProxy::passed() const { return loop_->plan().passed(); }

}  // namespace holdfast::test
