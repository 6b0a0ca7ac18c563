// SPDX-License-Identifier: Apache-2.0

// engines/etcd/queue.h - the claims of one resource, for the kit's claim machine.
//
// A claim is a key under the session's lease. The revision at which the key was created
// is both its place in the queue and its fencing token. One transaction creates the key
// and reads what is ahead of it. A caller that must wait watches the obstacle, the key
// that must end first. It reads the queue again if the watch was opened after that
// transaction.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engines/etcd/backend.h"
#include "engines/etcd/claim_state.h"
#include "engines/etcd/grant_times.h"
#include "engines/etcd/names.h"
#include "engines/etcd/transport/txn.h"

namespace holdfast::etcd {

// This is a kit::ClaimStore. Each kind derives its own.
class Queue {
 public:
  using State = ClaimState;
  using Held = HeldClaim;
  struct Snapshot : kit::QueueSnapshot {
    wire::TxnResponse answer = {};
    WatchedKeys obstacle = {};  // what to watch if the claim is not admitted
  };

  virtual ~Queue() = default;
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  const std::string& key() const noexcept { return key_; }      // N
  const std::string& below() const noexcept { return below_; }  // N/
  const GrantTimes& grant_times() const noexcept { return grant_times_; }
  bool is_foreign(const std::string& key) const noexcept;

  // These fulfil kit::ClaimStore. Where nothing is overridden, a grant is not written:
  // the queue alone says which claims are granted.
  engine::Kind kind() const noexcept { return kind_; }
  const std::string& subject() const noexcept { return key_; }
  Result<std::int64_t> session(engine::Deadline until);
  bool is_over(std::int64_t lease) const;
  Result<std::optional<Snapshot>> look(ClaimState& state, const engine::Claim& claim,
                                       engine::Deadline until);
  ClaimTable& claims() noexcept { return claims_; }
  virtual Result<kit::Capacity> set_capacity(const ClaimState& state,
                                             const engine::Claim& claim,
                                             engine::Deadline until);
  virtual Result<bool> admit(const ClaimState& state, const engine::Claim& claim,
                             const Snapshot& queue, engine::Deadline until);
  Result<bool> arm(ClaimState& state, const Snapshot& queue,
                   const kit::Obstacle& obstacle, const engine::Waker& waker,
                   engine::Deadline until);
  Result<void> remove(ClaimState& state, engine::Ticket ticket,
                      const std::optional<HeldClaim>& last, engine::Deadline until);
  virtual Result<void> rewrite(ClaimState& state, const engine::Claim& wanted,
                               engine::Deadline until);
  engine::Granted granted(const ClaimState& state, const engine::Claim& claim,
                          Clock::time_point asked) const;
  static HeldClaim held(const ClaimState& state);

 protected:
  Queue(Backend& backend, std::string key, engine::Kind kind);

  // The kinds differ in the key of a new claim, its value, the queries that are sent
  // with it, and what their answers mean. If `revision` is zero, the claim is created
  // in this transaction. `read` fills in the rest of the snapshot, and returns false if
  // the queue was repaired and must be read again.
  virtual std::string new_key(std::int64_t lease, const engine::Claim& claim) = 0;
  virtual std::string value_of(const engine::Claim& claim) const;
  virtual void add_queries(Txn::Branch branch, const engine::Claim& claim,
                           std::int64_t revision) const = 0;
  virtual Result<bool> read(const engine::Claim& claim, const ClaimState& state,
                            Snapshot& queue, engine::Deadline until) = 0;

  Backend& backend() const noexcept { return backend_; }
  // Returns why N cannot be locked, if the key N itself is in the way. `at_name` is
  // null if there is no such key.
  std::optional<Failure> conflict_at_name(const wire::KeyValue* at_name) const;
  KeyRole role_at(const std::string& key) const noexcept;
  // Changes the value of the claim's key. Errc::not_held: the key has ended.
  Result<void> write_value(ClaimState& state, const std::string& value,
                           engine::Deadline until) const;

 private:
  Result<wire::TxnResponse> read_queue(ClaimState& state, const engine::Claim& claim,
                                       engine::Deadline until);
  Result<wire::TxnResponse> enqueue(ClaimState& state, const engine::Claim& claim,
                                    engine::Deadline until);
  Txn removal(const ClaimState& state, engine::Ticket ticket) const;
  // Sends the transaction again if it was not answered, once for each further member,
  // and sets `doubt` then.
  Result<wire::TxnResponse> send_with_retry(const Txn& txn, const ClaimState& state,
                                            engine::Deadline until, bool& doubt);

  Backend& backend_;
  const std::string key_;
  const std::string below_;
  const engine::Kind kind_;
  const GrantTimes grant_times_;
  ClaimTable claims_;
};

}  // namespace holdfast::etcd
