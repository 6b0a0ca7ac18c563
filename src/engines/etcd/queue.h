// engines/etcd/queue.h - how a place is taken, waited in and given up.
//
// A place is a key under our lease; its creation is its turn in line and its token.
// Taking it and seeing what is ahead is one transaction. Whoever must wait listens to
// what must end first, and looks again if that was not heard from the look on.

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

  // For `renew`.
  ClaimTable& claims() noexcept { return claims_; }
  const GrantTimes& grant_times() const noexcept { return grant_times_; }

 protected:
  ClaimResource(std::shared_ptr<Backend> backend, std::string key, engine::Kind kind);

  // What a look has shown.
  struct QueueSnapshot {
    bool admitted = false;    // it is its turn
    bool read_again = false;  // something was put right: look again
    std::size_t ahead = 0;
    WatchTarget obstacle = {};  // to listen to, if it is not
    std::size_t ends = 1;       // of so many keys must be heard
  };

  // Each kind's own: the key of a new place, its value, what is asked beside it, and
  // what the answers mean. `revision` zero: the place is taken in this transaction.
  virtual std::string new_key(std::int64_t lease, const engine::Claim& claim) = 0;
  virtual std::string value_of(const engine::Claim& claim) const;
  virtual void add_queries(Txn::Branch branch, const engine::Claim& claim,
                           std::int64_t revision) const = 0;
  virtual Result<QueueSnapshot> evaluate(const engine::Claim& claim, ClaimState& state,
                                         const wire::TxnResponse& answer,
                                         engine::Deadline until) = 0;

  engine::Kind kind() const noexcept { return kind_; }
  // Why N cannot be locked, because of the key N itself; null: there is none.
  std::optional<Failure> conflict_at_name(const wire::KeyValue* at_name) const;
  // The part of a key behind N/.
  std::string_view suffix_of(const std::string& key) const noexcept;
  bool is_foreign(const std::string& key) const noexcept;
  std::string_view payload_of(const engine::Claim& claim) const noexcept;

  // The place of a granted claim, if its lease is the present one.
  Result<std::shared_ptr<ClaimState>> held_state(const engine::Claim& claim);
  engine::Granted granted(const engine::Claim& claim, const ClaimState& state,
                          Clock::time_point asked);
  // Another value for a place that is there. Errc::not_held.
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
  // Asks another member if one has not answered; `doubt` says whether that was so.
  Result<wire::TxnResponse> send_with_retry(const Txn& txn, const ClaimState& state,
                                            engine::Deadline until, bool& doubt);

  const engine::Kind kind_;
  const GrantTimes grant_times_;
  ClaimTable claims_;
};

// How long to wait before looking again although nothing was heard.
std::chrono::nanoseconds recheck_delay(std::size_t ahead);

}  // namespace holdfast::etcd
