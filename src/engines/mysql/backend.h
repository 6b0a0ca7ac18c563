// SPDX-License-Identifier: Apache-2.0

// engines/mysql/backend.h - what the resources of one session share.

#pragma once

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "engines/kit/change_receipt.h"
#include "engines/kit/receipt_pool.h"
#include "engines/mysql/hold_monitor.h"
#include "engines/mysql/holder_columns.h"
#include "engines/mysql/names.h"
#include "engines/mysql/options.h"
#include "engines/mysql/poller.h"
#include "engines/mysql/renewal.h"
#include "engines/mysql/transport/pool.h"
#include "engines/mysql/transport/server_info.h"
#include "engines/mysql/wakeups.h"
#include "holdfast/engine/session.h"

namespace holdfast::mysql {

// The class is safe for concurrent use.
class Backend {
 public:
  // Connects, to see what server it is, and creates the tables if they are missing.
  static Result<std::shared_ptr<Backend>> open(const Options& options,
                                               const engine::SessionOptions& session);
  ~Backend();

  const Options& options() const noexcept { return pool_.options(); }
  const HolderColumns& holder() const noexcept {
    return holder_;
  }  // by the client's payload
  const Names& names() const noexcept { return names_; }
  Pool& pool() noexcept { return pool_; }
  BellThreads& bell_threads() noexcept { return bell_threads_; }
  Poller& poller() noexcept { return poller_; }
  HoldMonitor& hold_monitor() noexcept { return hold_monitor_; }
  kit::ReceiptPool<kit::ChangeReceipt>& receipts() noexcept { return receipts_; }
  SlowClaims& slow_claims() noexcept { return slow_claims_; }

  // With ?mode=getlock there are no tables.
  bool has_tables() const noexcept { return options().mode != LockMethod::getlock; }
  bool has_bells() const noexcept { return server_.has_bells; }
  const std::vector<std::string>& warnings() const noexcept { return server_.warnings; }
  // Describes the servers of the URL, and the version of the one that answered.
  std::vector<engine::ServerDescription> descriptions() const {
    engine::ServerDescription all{options().spelt(), {}};
    if (!server_.version.empty())
      all.properties.push_back({"version", server_.version});
    return {std::move(all)};
  }

  // Runs a statement on the connection `on` unless that is cut, otherwise on any.
  Result<Answer> run(const Sql& sql, const Args& args, engine::Deadline until,
                     const std::shared_ptr<Connection>& on = nullptr);

  // Runs the statement of a renewal: once, on `on` if that is free soon, otherwise on
  // any connection.
  Result<Answer> renew(const Sql& sql, const Args& args, engine::Deadline until,
                       const std::shared_ptr<Connection>& on);

  // Returns how often a waiter writes its row again.
  std::chrono::milliseconds keepalive_interval() const noexcept {
    return keepalive_interval_;
  }

  // Returns the time that a claim asks for.
  std::chrono::microseconds lease_of(const engine::Claim& claim) const noexcept {
    if (claim.lease.count() == 0) return ttl_;
    return std::min(std::chrono::duration_cast<std::chrono::microseconds>(claim.lease),
                    kLongestLease);
  }

 private:
  static constexpr std::chrono::microseconds kLongestLease =
      std::chrono::hours(24) * 365 * 100;

  Backend(const Options& options, const engine::SessionOptions& session);

  const HolderColumns holder_;
  const Names names_;
  const std::chrono::microseconds ttl_;
  const std::chrono::milliseconds keepalive_interval_;
  ServerInfo server_;
  kit::ReceiptPool<kit::ChangeReceipt> receipts_;
  SlowClaims slow_claims_;
  Pool pool_;
  BellThreads bell_threads_;
  Poller poller_;
  HoldMonitor hold_monitor_;
};

}  // namespace holdfast::mysql
