// SPDX-License-Identifier: Apache-2.0

// engines/etcd/session.h - the waist's session, over an etcd cluster.

#pragma once

#include <memory>

#include "engines/etcd/backend.h"
#include "holdfast/engine/session.h"

namespace holdfast::etcd {

class EtcdSession final : public engine::Session {
 public:
  explicit EtcdSession(std::shared_ptr<Backend> backend) noexcept;

  engine::Traits traits(engine::Kind kind) const noexcept override;
  Result<std::shared_ptr<engine::Resource>> bind(
      const engine::Address& address) override;
  Result<void> renew(std::span<engine::ClaimRef> refs, engine::Deadline until) override;
  Result<engine::Page> list(std::string_view prefix, std::string_view from,
                            engine::Deadline until) override;
  std::vector<std::string> warnings() const override;
  std::vector<engine::ServerDescription> servers() const override {
    return {backend_->description()};
  }

 private:
  const std::shared_ptr<Backend> backend_;
};

}  // namespace holdfast::etcd
