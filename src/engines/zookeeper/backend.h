// SPDX-License-Identifier: Apache-2.0

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

// The class is safe for concurrent use.
class Backend {
 public:
  // Connects once, to see whether a server answers.
  static Result<std::shared_ptr<Backend>> open(const Options& options,
                                               const engine::SessionOptions& session);

  const Options& options() const noexcept { return options_; }
  const std::string& payload() const noexcept { return payload_; }
  WatchRegistry& watches() noexcept { return watches_; }
  SessionManager& sessions() noexcept { return sessions_; }
  Receipts& receipts() noexcept { return receipts_; }
  const engine::Waker& alarm() const noexcept { return alarm_; }

  // Returns what an operator should know, one sentence each.
  std::vector<std::string> warnings() const;

  // Describes the servers of the URL, and after which time they end a silent session.
  std::vector<engine::ServerDescription> descriptions() const;

  // Returns the id of one claim, spelt as a UUID: the client's UUID with the ticket in
  // its second half.
  std::string id_of(engine::Ticket ticket) const;

  // Creates the missing ancestors of a path, as containers.
  Result<void> make_parents(const std::string& path, engine::Deadline until);

  // Returns the remaining time of the session, counted from `asked`, and `wanted` at
  // most, unless that is zero.
  static engine::LeaseTime lease_from(const Handle& handle, Clock::time_point asked,
                                      engine::LeaseTime wanted) noexcept;

 private:
  Backend(const Options& options, const engine::SessionOptions& session);

  const Options options_;
  const std::chrono::milliseconds ttl_;
  const base::Uuid client_;
  const std::string payload_;
  const engine::Waker alarm_;
  engine::LeaseTime timeout_{};  // of the session at the first connection
  WatchRegistry watches_;
  Receipts receipts_;
  SessionManager sessions_;  // declared last, because its thread uses the others
};

}  // namespace holdfast::zookeeper
