// SPDX-License-Identifier: Apache-2.0

// engines/etcd/backend.h - what the resources of one session share.

#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/mutex.h"
#include "engines/etcd/keys_in_use.h"
#include "engines/etcd/options.h"
#include "engines/etcd/session_lease.h"
#include "engines/etcd/transport/calls.h"
#include "engines/etcd/transport/channels.h"
#include "engines/etcd/transport/event_loop.h"
#include "engines/etcd/wakeups.h"
#include "engines/kit/change_receipt.h"
#include "engines/kit/receipt_pool.h"
#include "holdfast/engine/session.h"

namespace holdfast::etcd {

// This is the receipt of a change to a register: see registers.h.
struct Receipt : kit::ChangeReceipt {
  using ChangeReceipt::ChangeReceipt;

  std::int64_t lease = 0;     // the etcd lease of the key
  std::int64_t revision = 0;  // of the key's last change, as far as it is known
};

// The class is safe for concurrent use.
class Backend {
 public:
  // Sends one request, to see whether a server answers.
  static Result<std::shared_ptr<Backend>> open(const Options& options,
                                               const engine::SessionOptions& session);
  ~Backend();

  const Options& options() const noexcept { return options_; }
  const std::string& payload() const noexcept { return payload_; }
  const engine::Waker& alarm() const noexcept { return alarm_; }
  Calls& calls() noexcept { return calls_; }
  WatchStream& watches() noexcept { return watches_; }
  SessionLease& lease() noexcept { return lease_; }
  kit::ReceiptPool<Receipt>& receipts() noexcept { return receipts_; }
  KeysInUse& keys_in_use() noexcept { return keys_in_use_; }

  // Returns what an operator should know, one sentence each.
  std::vector<std::string> warnings() const;

  // Describes the members of the URL, and the version of the one that answered.
  std::vector<engine::ServerDescription> descriptions() const;

  // Sends a transaction that belongs to this lease. Errc::not_held: the lease has
  // ended, and so have all its claims.
  Result<wire::TxnResponse> txn(const wire::TxnRequest& request, std::int64_t lease,
                                engine::Deadline until);

  // Returns the key that is written when a claim is given up although its attempt may
  // still be on its way. An attempt that finds this key creates nothing.
  std::string tombstone_of(std::int64_t lease, engine::Ticket ticket) const;

  // Mutex, fair mutex and election of one name are one resource: returns the existing
  // one, or else makes it.
  using Make = std::shared_ptr<engine::Resource> (*)(const std::shared_ptr<Backend>&,
                                                     const std::string& key);
  static std::shared_ptr<engine::Resource> shared_resource(
      const std::shared_ptr<Backend>& backend, const std::string& key, Make make);

 private:
  Backend(const Options& options, const engine::SessionOptions& session,
          std::unique_ptr<Channels> channels);
  void lease_ended(std::int64_t id);

  const Options options_;
  const std::string payload_;
  const engine::Waker alarm_;
  const std::unique_ptr<Channels> channels_;
  std::string version_;  // the version of the server
  EventLoop loop_;
  Calls calls_;
  kit::ReceiptPool<Receipt> receipts_;
  KeysInUse keys_in_use_;

  base::Mutex mutex_;
  std::unordered_map<std::string, std::weak_ptr<engine::Resource>> shared_
      HOLDFAST_GUARDED_BY(mutex_);

  WatchStream watches_;
  SessionLease lease_;
};

}  // namespace holdfast::etcd
