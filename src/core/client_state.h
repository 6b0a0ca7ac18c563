// SPDX-License-Identifier: Apache-2.0

// core/client_state.h - what the copies of a Client share.

#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/fork_epoch.h"
#include "base/mutex.h"
#include "base/transient.h"
#include "core/bound_resources.h"
#include "core/lease.h"
#include "core/lease_renewer.h"
#include "core/notifier.h"
#include "core/signal_pool.h"
#include "core/watch_dispatcher.h"
#include "holdfast/client_options.h"
#include "holdfast/engine/session.h"

namespace holdfast::core {

class Runner;
class Task;

// State that the primitives of one address share beyond the resource, such as which
// thread holds a RecursiveMutex.
class SharedState {
 public:
  virtual ~SharedState() = default;

  // Returns whether nothing would be lost if it were destroyed and made anew.
  virtual bool idle() const noexcept = 0;
};

// Every primitive and hold keeps the state alive; the last of them closes it. In a
// child of fork() it is never destroyed, because its mutexes and threads belong to the
// parent. The class is safe for concurrent use.
class ClientState {
 public:
  static Result<std::shared_ptr<ClientState>> open(
      std::unique_ptr<engine::Engine> engine, ClientOptions options);
  ~ClientState();

  // Returns whether this process may still use the client. It costs two loads.
  bool usable() const noexcept { return !closed_.load() && !forked(); }
  bool forked() const noexcept { return base::fork_epoch() != epoch_; }
  // Returns Errc::closed or Errc::forked for what is asked for `name`.
  Failure why_unusable(std::string_view name = {}) const;

  // Returns the one object that this client has for an address.
  Result<BoundResourcePtr> bind(const engine::Address& address);

  // The destructor of the resource calls this.
  void unbind(const BoundResource& bound) noexcept;

  // `attach_shared_state` returns the state of a resource, made by `make` if there is
  // none. `detach_shared_state` gives it back; the last user destroys it if it is idle.
  std::shared_ptr<SharedState> attach_shared_state(
      const BoundResource& bound,
      const std::function<std::shared_ptr<SharedState>()>& make);
  void detach_shared_state(std::shared_ptr<SharedState> shared,
                           const BoundResource& bound) noexcept;

  // Starts an asynchronous call (core/call.h). In a child of fork() it fails.
  void start(const std::shared_ptr<Task>& task);

  // No two clients of a process have the same id.
  std::uint64_t id() const noexcept { return id_; }

  // Each thread draws blocks of tickets, so that it seldom touches the shared counter.
  engine::Ticket next_ticket() noexcept {
    constexpr std::uint64_t kBlock = 16;
    if (tickets_.client != id_ || tickets_.next == tickets_.end) [[unlikely]] {
      const auto first = next_block_.fetch_add(kBlock, std::memory_order_relaxed);
      tickets_ = {id_, first, first + kBlock};
    }
    return engine::Ticket{tickets_.next++};
  }

  // Returns how long a call to the engine may take whose caller has no limit.
  std::chrono::nanoseconds call_time() const noexcept { return call_time_; }

  // `answers` returns false for a `call_time` after the engine has not answered a call
  // that was noted. A call that ends without a grant does not wait for the engine then,
  // because many of them would do so one after the other: the renewer drops its claim,
  // and its error says less.
  template <class T>
  void note_answer(const Result<T>& answer) noexcept {
    note_answered(answer.has_value() || !base::is_transient(answer.error()));
  }
  bool answers() const noexcept;

  engine::Session& session() noexcept { return *session_; }
  LeaseRenewer& renewer() noexcept { return renewer_; }
  Notifier& notifier() noexcept { return notifier_; }
  WatchDispatcher& watch_dispatcher() noexcept { return watch_dispatcher_; }
  SignalPool& signals() noexcept { return signals_; }
  LeaseRegistry& leases() noexcept { return leases_; }
  std::chrono::milliseconds ttl() const noexcept { return options_.ttl; }
  const std::string& payload() const noexcept { return options_.payload; }
  const RetryPolicy& retry() const noexcept { return options_.retry; }

  // Logs a warning soon, on a thread of the notifier, because a log may be slow. False
  // means that the system has no thread for it.
  bool warn(std::string text);

  Metrics* metrics() const noexcept { return options_.metrics; }

  void close() noexcept { close(DropPolicy::keep_retrying); }

 private:
  ClientState(std::unique_ptr<engine::Engine> engine,
              std::unique_ptr<engine::Session> session,
              std::shared_ptr<AlarmSignal> alarm, ClientOptions options);

  // Whether the renewer goes on with the claims that could not be dropped.
  enum class DropPolicy : bool { keep_retrying, give_up };
  void close(DropPolicy policy) noexcept;
  void await_close() noexcept;
  void note_answered(bool answered) noexcept;
  static std::vector<BoundClaim> drop_all(std::vector<BoundClaim> claims) noexcept;

  static Result<std::shared_ptr<ClientState>> open_session(
      std::unique_ptr<engine::Engine> engine, ClientOptions options);

  struct Tickets {  // of one thread
    std::uint64_t client;
    std::uint64_t next;
    std::uint64_t end;
  };
  [[gnu::tls_model(
      "initial-exec")]] static inline constinit thread_local Tickets tickets_{};

  // Addresses of one resource share a gate. Returns another address of `resource`, or
  // null if there is none.
  BoundResourcePtr gate_owner_of(const std::shared_ptr<engine::Resource>& resource)
      const HOLDFAST_REQUIRES(mutex_);

  const std::uint64_t epoch_;
  const std::uint64_t id_;
  const ClientOptions options_;
  const std::chrono::nanoseconds call_time_;
  const std::unique_ptr<engine::Engine> engine_;
  const std::unique_ptr<engine::Session> session_;
  std::atomic<bool> closed_{false};
  std::atomic<Clock::time_point> silent_until_{Clock::time_point::min()};

  Notifier notifier_;
  LeaseRenewer renewer_;
  SignalPool signals_;
  LeaseRegistry leases_;
  WatchDispatcher watch_dispatcher_;
  const std::shared_ptr<Runner> runner_;

  base::Mutex mutex_;
  base::CondVar closing_;
  bool shut_ HOLDFAST_GUARDED_BY(mutex_) = false;  // `close` is done
  BoundResources bounds_ HOLDFAST_GUARDED_BY(mutex_);
  std::map<const BoundResource*, std::shared_ptr<SharedState>> shared_states_
      HOLDFAST_GUARDED_BY(mutex_);

  alignas(64) std::atomic<std::uint64_t> next_block_{1};  // of tickets
};

}  // namespace holdfast::core
