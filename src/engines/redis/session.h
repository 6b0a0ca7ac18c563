// SPDX-License-Identifier: Apache-2.0

// engines/redis/session.h - the waist's session over one Redis server or a cluster.

#pragma once

#include <memory>

#include "engines/redis/backend.h"
#include "holdfast/engine/session.h"

namespace holdfast::redis {

class RedisSession final : public engine::Session {
 public:
  explicit RedisSession(std::shared_ptr<Backend> backend) noexcept;

  engine::Traits traits(engine::Kind kind) const noexcept override;
  Result<std::shared_ptr<engine::Resource>> bind(
      const engine::Address& address) override;
  Result<void> renew(std::span<engine::ClaimRef> refs, engine::Deadline until) override;
  Result<engine::Page> list(std::string_view prefix, std::string_view from,
                            engine::Deadline until) override;
  std::vector<std::string> warnings() const override;
  std::vector<engine::ServerDescription> servers() const override {
    return backend_->descriptions();
  }

 private:
  Result<Slot> slot_of_name(const engine::Address& address) const;

  const std::shared_ptr<Backend> backend_;
};

}  // namespace holdfast::redis
