// engines/etcd/queue.h - how a claim is taken, waited for and given up.
//
// A claim is a key under the session's lease. The revision at which the key was created
// is both its place in the queue and its fencing token. One transaction creates the key
// and reads what is ahead of it. A caller that must wait watches the obstacle, the key
// that must end first. It reads the queue again if the watch was opened after that
// transaction.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engines/etcd/claim_state.h"
#include "engines/etcd/grant_times.h"
#include "engines/etcd/names.h"
#include "engines/etcd/resource.h"
#include "engines/etcd/transport/txn.h"

namespace holdfast::etcd {

class ClaimResource : public EtcdResource {
 public:
  Result<engine::Verdict> attempt(const engine::Claim& claim,
                                  const engine::Waker& waker,
                                  engine::Deadline until) override;
  Result<void> drop(const engine::Claim& claim, engine::Deadline until) override;
  Result<std::vector<engine::Entry>> survey(std::size_t limit,
                                            engine::Deadline until) override;
  Result<void> evict(std::string_view owner, engine::Deadline until) override;

  // For renew_all.
  ClaimTable& claims() noexcept { return claims_; }
  const GrantTimes& grant_times() const noexcept { return grant_times_; }

 protected:
  ClaimResource(std::shared_ptr<Backend> backend, std::string key, engine::Kind kind);

  // What a read of the queue means for one claim.
  struct QueueSnapshot {
    bool admitted = false;    // the claim is granted
    bool read_again = false;  // the queue was repaired: read it again
    std::size_t ahead = 0;
    WatchTarget obstacle = {};  // what to watch otherwise
    std::size_t ends = 1;       // of its keys, so many must end
  };

  // What differs between the kinds: the key of a new claim, its value, the queries that
  // are sent with it, and what their answers mean. If `revision` is zero, the claim is
  // created in this transaction.
  virtual std::string new_key(std::int64_t lease, const engine::Claim& claim) = 0;
  virtual std::string value_of(const engine::Claim& claim) const;
  virtual void add_queries(Txn::Branch branch, const engine::Claim& claim,
                           std::int64_t revision) const = 0;
  virtual Result<QueueSnapshot> evaluate(const engine::Claim& claim, ClaimState& state,
                                         const wire::TxnResponse& answer,
                                         engine::Deadline until) = 0;

  engine::Kind kind() const noexcept { return kind_; }
  // Why N cannot be locked, if the key N itself is in the way. `at_name` is null if
  // there is no such key.
  std::optional<Failure> conflict_at_name(const wire::KeyValue* at_name) const;
  // The part of a key that follows N/.
  std::string_view suffix_of(const std::string& key) const noexcept;
  bool is_foreign(const std::string& key) const noexcept;
  std::string_view payload_of(const engine::Claim& claim) const noexcept;

  // The state of a granted claim, if its lease is the current one.
  Result<std::shared_ptr<ClaimState>> held_state(const engine::Claim& claim);
  engine::Granted granted(const engine::Claim& claim, const ClaimState& state,
                          Clock::time_point asked);
  // Changes the value of the claim's key. Errc::not_held: the key has ended.
  Result<void> rewrite(ClaimState& state, const std::string& value,
                       engine::Deadline until);

 private:
  Result<std::shared_ptr<ClaimState>> state_of(const engine::Claim& claim,
                                               engine::Deadline until);
  Result<engine::Verdict> grant(const engine::Claim& claim, ClaimState& state,
                                Clock::time_point asked);
  Result<wire::TxnResponse> read_queue(ClaimState& state, const engine::Claim& claim,
                                       engine::Deadline until);
  Result<wire::TxnResponse> enqueue(ClaimState& state, const engine::Claim& claim,
                                    engine::Deadline until);
  Result<bool> watch_obstacle(ClaimState& state, const QueueSnapshot& snapshot,
                              std::int64_t revision, const engine::Waker& waker,
                              engine::Deadline until);
  Txn removal(const ClaimState& state, engine::Ticket ticket) const;
  Result<void> remove(ClaimState& state, engine::Ticket ticket, engine::Deadline until);
  // Sends the transaction again, to another member, if the first has not answered; then
  // sets `doubt`.
  Result<wire::TxnResponse> send_with_retry(const Txn& txn, const ClaimState& state,
                                            engine::Deadline until, bool& doubt);

  const engine::Kind kind_;
  const GrantTimes grant_times_;
  ClaimTable claims_;
};

// How long a waiter sleeps at most before it reads the queue again.
std::chrono::nanoseconds recheck_delay(std::size_t ahead);

}  // namespace holdfast::etcd
