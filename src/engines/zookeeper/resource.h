// SPDX-License-Identifier: Apache-2.0

// engines/zookeeper/resource.h - the waist's resource, as far as it is the same for all
// kinds, and for all kinds with claims.

#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engines/zookeeper/backend.h"
#include "engines/zookeeper/claim_state.h"

namespace holdfast::zookeeper {

class ZookeeperResource : public engine::Resource {
 public:
  Result<engine::Watch> watch(const engine::Waker& waker,
                              engine::Deadline until) override;

  Backend& backend() const noexcept { return *backend_; }

  // Sets the watches of this resource in the batch, if there is an engine::Watch.
  void set_watches(Batch& batch) const;

 protected:
  ZookeeperResource(std::shared_ptr<Backend> backend, std::string path);

  const std::string& path() const noexcept { return path_; }

  // Returns what a change of this resource changes. A ZooKeeper watch fires once, so
  // every read sets the watches again, if there is an engine::Watch.
  virtual std::vector<WatchTarget> watch_targets() const;
  bool is_watched() const noexcept { return watches_->load() > 0; }

  // Returns the children of `path()`, for a survey; none if it does not exist.
  Result<std::vector<std::string>> list(engine::Deadline until);

 private:
  const std::shared_ptr<Backend> backend_;
  const std::string path_;
  const std::shared_ptr<std::atomic<int>> watches_;
};

// It is the kit::ClaimStore of its claims, too. Each kind derives its own.
class ClaimResource : public ZookeeperResource {
 public:
  Result<engine::Verdict> attempt(const engine::Claim& claim,
                                  const engine::Waker& waker,
                                  engine::Deadline until) override;
  Result<engine::Granted> amend(const engine::Claim& held, const engine::Claim& wanted,
                                engine::Deadline until) override;
  Result<void> drop(const engine::Claim& claim, engine::Deadline until) override;
  Result<void> evict(std::string_view owner, engine::Deadline until) override;

  // Forgets a granted claim, as `held` describes it, because it is gone, and deletes
  // what may be left of it. Nothing is waited for.
  void lose(engine::Ticket ticket, const HeldClaim& held);

  using State = ClaimState;
  using Held = HeldClaim;
  struct Snapshot : kit::QueueSnapshot {
    std::vector<std::string> nodes = {};  // of the entries behind the first `taken`
    std::size_t taken = 0;                // that many leases of a semaphore are taken
    std::optional<std::int64_t> opened = {};  // the zxid that opened a double barrier
  };

  // These do what kit::ClaimStore says of them. Where nothing is overridden, a grant is
  // not written: the queue alone says which claims are granted.
  engine::Kind kind() const noexcept { return kind_; }
  const std::string& subject() const noexcept { return path(); }
  ClaimTable& claims() noexcept { return claims_; }
  Result<std::int64_t> session(engine::Deadline until);
  bool is_over(std::int64_t session_id);
  virtual Result<std::optional<Snapshot>> look(ClaimState& state,
                                               const engine::Claim& claim,
                                               engine::Deadline until) = 0;
  virtual Result<kit::Capacity> set_capacity(ClaimState& state,
                                             const engine::Claim& claim,
                                             engine::Deadline until);
  virtual Result<bool> admit(ClaimState& state, const engine::Claim& claim,
                             const Snapshot& queue, engine::Deadline until);
  virtual Result<bool> arm(ClaimState& state, const Snapshot& queue,
                           const kit::Obstacle& obstacle, const engine::Waker& waker,
                           engine::Deadline until) = 0;
  Result<void> remove(ClaimState& state, engine::Ticket ticket,
                      const std::optional<HeldClaim>& last, engine::Deadline until);
  Result<void> rewrite(ClaimState& state, const engine::Claim& wanted,
                       engine::Deadline until);
  engine::Granted granted(const ClaimState& state, const engine::Claim& claim,
                          Clock::time_point asked) const;
  static HeldClaim held(const ClaimState& state) {
    return {state.session_id, state.nodes(), state.own_watch};
  }

 protected:
  ClaimResource(std::shared_ptr<Backend> backend, std::string path, engine::Kind kind);

  // Returns the directories in which the nodes of claims may be.
  virtual std::vector<std::string> directories() const { return {path()}; }

  // These send the requests that change a granted claim, and read the answers.
  virtual Result<void> send_change(ClaimState& state, const engine::Claim& wanted,
                                   Batch& batch);
  virtual Result<void> read_change(ClaimState& state, const engine::Claim& wanted,
                                   const Batch& batch);

  std::string_view payload_of(const engine::Claim& claim) const noexcept;

 private:
  Result<std::vector<std::string>> find_nodes(std::string_view prefix,
                                              engine::Deadline until);
  Result<void> remove_nodes(const std::vector<std::string>& nodes,
                            engine::Deadline until);

  const engine::Kind kind_;
  ClaimTable claims_;
  base::Mutex granted_mutex_;  // see ClaimState; never held while waiting
};

}  // namespace holdfast::zookeeper
