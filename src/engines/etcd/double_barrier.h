// engines/etcd/double_barrier.h - parties that enter together.
//
//   N/waiters/<lease>-<ticket>   one key for each claim
//   N/ready                      from when all have come until all have left

#pragma once

#include "engines/etcd/queue.h"
#include "engines/etcd/registers.h"

namespace holdfast::etcd {

class DoubleBarrierResource final : public ClaimResource {
 public:
  DoubleBarrierResource(std::shared_ptr<Backend> backend, std::string key);

  Result<void> drop(const engine::Claim& claim, engine::Deadline until) override;
  Result<engine::Value> load(engine::Deadline until) override;
  Result<engine::Exchanged> exchange(const engine::Value& from,
                                     std::optional<std::int64_t> to,
                                     engine::Ticket ticket,
                                     engine::Deadline until) override;

 private:
  std::string new_key(std::int64_t lease, const engine::Claim& claim) override;
  void add_queries(Txn::Branch branch, const engine::Claim& claim,
                   std::int64_t revision) const override;
  Result<QueueSnapshot> evaluate(const engine::Claim& claim, ClaimState& state,
                                 const wire::TxnResponse& answer,
                                 engine::Deadline until) override;

  // Opens the barrier for the parties in `seen`, or joins those that have entered.
  // False: something has changed since `seen` was read.
  Result<bool> open_or_join(const ClaimState& state, const wire::TxnResponse& seen,
                            engine::Deadline until);
  Result<void> close_if_empty(engine::Deadline until);

  const std::string waiters_;
  const std::string ready_key_;
  Register ready_;
};

}  // namespace holdfast::etcd
