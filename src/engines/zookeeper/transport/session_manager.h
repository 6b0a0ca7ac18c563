// SPDX-License-Identifier: Apache-2.0

// engines/zookeeper/transport/session_manager.h - keeps a session open: when one has
// ended, it opens the next.

#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "engines/zookeeper/options.h"
#include "engines/zookeeper/transport/handle.h"
#include "engines/zookeeper/wakeups.h"
#include "holdfast/engine/claim.h"
#include "holdfast/result.h"

namespace holdfast::zookeeper {

// A thread of its own opens and closes sessions, sends heartbeats, and repeats
// deletions that were not answered or were put off. The class is safe for concurrent
// use.
class SessionManager final : SessionEvents {
 public:
  SessionManager(const Options& options, std::chrono::milliseconds ttl,
                 WatchRegistry& watches, engine::Waker alarm);
  ~SessionManager() override;  // ends the session

  // Returns a connected session, and waits for one if necessary. Errc::unavailable:
  // none was connected in time, or `only` is named and has ended.
  Result<std::shared_ptr<Handle>> handle(engine::Deadline until,
                                         std::optional<std::int64_t> only = {});

  // Returns the current session, connected or not, or null if there is none.
  std::shared_ptr<Handle> current();

  // Returns whether this session has ended, also if there is no other one yet.
  bool has_ended(std::int64_t session);

  // Deletes a node of the current session without waiting. The request has been sent
  // when this returns, before any later one, and is repeated until it is done or the
  // session has ended.
  void delete_later(std::string path);

  // Deletes a node without waiting, unless it has siblings or is written to meanwhile.
  // It is tried once.
  void delete_alone_later(const std::string& path);

 private:
  struct PendingDelete {
    SessionManager* manager;
    std::string path;
    std::int64_t session;
  };
  static void on_deleted(int code, const void* pending);
  struct LoneNode;
  static void on_lone_node(int code, const Stat* stat, const void* node);
  static void on_siblings(int code, const String_vector* all, const void* node);
  static void send(Handle& handle, PendingDelete pending);

  void state_changed(Handle& handle) noexcept override;
  void run();
  struct Chores {
    std::vector<std::unique_ptr<Handle>> retired;  // to be closed
    std::deque<PendingDelete> deletes;             // to be sent again
    bool heartbeat = false;                        // a heartbeat is due
    std::shared_ptr<Handle> handle;
    bool any() const noexcept {
      return !retired.empty() || !deletes.empty() || heartbeat;
    }
  };
  bool has_now_ended(std::int64_t session) const HOLDFAST_REQUIRES(mutex_);
  bool is_over() const HOLDFAST_REQUIRES(mutex_);  // the next session must be opened
  Chores take_chores() HOLDFAST_REQUIRES(mutex_);
  std::shared_ptr<Handle> make();
  Failure failure() const HOLDFAST_REQUIRES(mutex_);

  const Options options_;
  const std::chrono::milliseconds ttl_;
  WatchRegistry& watches_;
  const engine::Waker alarm_;

  base::Mutex mutex_;
  base::CondVar changed_;
  std::shared_ptr<Handle> handle_ HOLDFAST_GUARDED_BY(mutex_);
  std::deque<PendingDelete> unanswered_deletes_
      HOLDFAST_GUARDED_BY(mutex_);  // to be repeated
  bool stopping_ HOLDFAST_GUARDED_BY(mutex_) = false;

  base::Mutex retiring_;  // taken last
  std::vector<std::unique_ptr<Handle>> retired_ HOLDFAST_GUARDED_BY(retiring_);

  std::thread thread_;
};

}  // namespace holdfast::zookeeper
