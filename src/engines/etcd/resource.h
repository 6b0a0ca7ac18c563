// SPDX-License-Identifier: Apache-2.0

// engines/etcd/resource.h - the waist's resource, as far as it is the same for all
// kinds, and for all kinds with claims.

#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engines/etcd/backend.h"
#include "engines/etcd/queue.h"

namespace holdfast::etcd {

class EtcdResource : public engine::Resource {
 public:
  Result<engine::Watch> watch(const engine::Waker& waker,
                              engine::Deadline until) override;

 protected:
  EtcdResource(std::shared_ptr<Backend> backend, std::string key);

  Backend& backend() const noexcept { return *backend_; }
  const std::string& key() const noexcept { return key_; }      // N
  const std::string& below() const noexcept { return below_; }  // N/

 private:
  const std::shared_ptr<Backend> backend_;
  const std::string key_;
  const std::string below_;
};

class ClaimResource : public EtcdResource {
 public:
  ClaimResource(std::shared_ptr<Backend> backend, std::unique_ptr<Queue> queue);

  Result<engine::Verdict> attempt(const engine::Claim& claim,
                                  const engine::Waker& waker,
                                  engine::Deadline until) override;
  Result<engine::Granted> amend(const engine::Claim& held, const engine::Claim& wanted,
                                engine::Deadline until) override;
  Result<void> drop(const engine::Claim& claim, engine::Deadline until) override;
  Result<std::vector<engine::Entry>> survey(std::size_t limit,
                                            engine::Deadline until) override;
  Result<void> evict(std::string_view owner, engine::Deadline until) override;

  Queue& queue() noexcept { return *queue_; }  // for renew_all

 private:
  const std::unique_ptr<Queue> queue_;
};

}  // namespace holdfast::etcd
