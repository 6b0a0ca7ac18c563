// engines/etcd/resource.h - the waist's resource: what all kinds have in common.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engines/etcd/backend.h"
#include "holdfast/engine/session.h"

namespace holdfast::etcd {

// Each kind says what it can do; what it does not say is unsupported.
class EtcdResource : public engine::Resource {
 public:
  Result<engine::Verdict> attempt(const engine::Claim& claim,
                                  const engine::Waker& waker,
                                  engine::Deadline until) override;
  Result<engine::Granted> amend(const engine::Claim& held, const engine::Claim& wanted,
                                engine::Deadline until) override;
  Result<void> drop(const engine::Claim& claim, engine::Deadline until) override;

  Result<engine::Value> load(engine::Deadline until) override;
  Result<engine::Value> add(std::int64_t by, engine::Ticket ticket,
                            engine::Deadline until) override;
  Result<engine::Exchanged> exchange(const engine::Value& from,
                                     std::optional<std::int64_t> to,
                                     engine::Ticket ticket,
                                     engine::Deadline until) override;

  Result<engine::Watch> watch(const engine::Waker& waker,
                              engine::Deadline until) override;
  Result<std::vector<engine::Entry>> survey(std::size_t limit,
                                            engine::Deadline until) override;
  Result<void> evict(std::string_view owner, engine::Deadline until) override;

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

}  // namespace holdfast::etcd
