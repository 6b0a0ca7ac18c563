// engines/zookeeper/backend.h - what the resources of one session share.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/ids.h"
#include "engines/zookeeper/options.h"
#include "engines/zookeeper/receipts.h"
#include "engines/zookeeper/transport/batch.h"
#include "engines/zookeeper/transport/session_manager.h"
#include "engines/zookeeper/wakeups.h"
#include "holdfast/engine/session.h"

namespace holdfast::zookeeper {

// Safe for concurrent use.
class Backend {
 public:
  // Connects once, to see whether somebody is there.
  static Result<std::shared_ptr<Backend>> open(const Options& options,
                                               const engine::SessionOptions& session);

  const Options& options() const noexcept { return options_; }
  const std::string& payload() const noexcept { return payload_; }
  WatchRegistry& watches() noexcept { return watches_; }
  SessionManager& sessions() noexcept { return sessions_; }
  Receipts& receipts() noexcept { return receipts_; }
  const engine::Waker& alarm() const noexcept { return alarm_; }

  // What an operator should know, a sentence each.
  std::vector<std::string> warnings() const;

  // The id of one claim, in a UUID's spelling: half of it is the client's.
  std::string id_of(engine::Ticket ticket) const;

  // Makes the missing ones of a path's ancestors, as containers.
  Result<void> make_parents(const std::string& path, engine::Deadline until);

  // What is left of the session's life, counted from `asked`; at most `wanted`, if that
  // is not zero.
  static engine::Lease lease_from(const Handle& handle, Clock::time_point asked,
                                  engine::Lease wanted) noexcept;

 private:
  Backend(const Options& options, const engine::SessionOptions& session);

  const Options options_;
  const std::chrono::milliseconds ttl_;
  const base::Uuid client_;
  const std::string payload_;
  const engine::Waker alarm_;
  engine::Lease timeout_{};  // as of the first connection
  WatchRegistry watches_;
  Receipts receipts_;
  SessionManager sessions_;  // the first to go: its thread uses the others
};

}  // namespace holdfast::zookeeper
