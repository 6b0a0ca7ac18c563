// SPDX-License-Identifier: Apache-2.0

// engines/zookeeper/resource.h - the waist's resource, as far as it is the same for all
// kinds.

#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engines/zookeeper/backend.h"
#include "engines/zookeeper/claim_state.h"

namespace holdfast::zookeeper {

class ZookeeperResource : public engine::Resource {
 public:
  Result<void> drop(const engine::Claim& claim, engine::Deadline until) override;
  Result<engine::Watch> watch(const engine::Waker& waker,
                              engine::Deadline until) override;
  Result<void> evict(std::string_view owner, engine::Deadline until) override;

  // For renew_all.
  ClaimTable& claims() noexcept { return claims_; }

  // A granted claim, as `held` describes it, is lost: deletes what may be left of it.
  void lose(engine::Ticket ticket, const HeldClaim& held);

 protected:
  ZookeeperResource(std::shared_ptr<Backend> backend, std::string path);

  Backend& backend() noexcept { return *backend_; }
  const std::string& path() const noexcept { return path_; }

  // The directories in which the nodes of claims may be.
  virtual std::vector<std::string> directories() const { return {path_}; }
  // What a change of this resource changes. A ZooKeeper watch fires once, so every read
  // sets the watches again, if there is an engine::Watch.
  virtual std::vector<WatchTarget> watch_targets() const;
  bool is_watched() const noexcept { return watches_->load() > 0; }
  void arm(Batch& batch) const;

  // The children of `path()`, for a survey; empty if it does not exist.
  Result<std::vector<std::string>> list(engine::Deadline until);

  std::shared_ptr<ClaimState> state_of(const engine::Claim& claim);
  engine::Verdict grant(const engine::Claim& claim, ClaimState& state,
                        Clock::time_point asked);
  engine::Granted granted(const engine::Claim& claim, const ClaimState& state,
                          Clock::time_point asked);
  std::string_view payload_of(const engine::Claim& claim) const noexcept;

  // Changes a granted claim in one batch. `send` fills the batch; `finish` reads the
  // answers, unless the claim was dropped meanwhile. Errc::not_held: the claim has
  // ended, or its session is not the current one.
  using Send = std::function<Result<void>(ClaimState&, Batch&)>;
  using Finish = std::function<Result<void>(ClaimState&, const Batch&)>;
  Result<engine::Granted> change(const engine::Claim& held, const engine::Claim& wanted,
                                 engine::Deadline until, const Send& send,
                                 const Finish& finish);
  bool is_held(const engine::Claim& claim, engine::Deadline until);

 private:
  Result<std::vector<std::string>> find_nodes(std::string_view prefix,
                                              engine::Deadline until);
  Result<void> remove_nodes(const std::vector<std::string>& nodes,
                            engine::Deadline until);

  const std::shared_ptr<Backend> backend_;
  const std::string path_;
  ClaimTable claims_;
  base::Mutex granted_mutex_;             // see ClaimState; never held while waiting
  std::atomic<std::int64_t> session_{0};  // the session of the last attempt
  const std::shared_ptr<std::atomic<int>> watches_;
};

}  // namespace holdfast::zookeeper
