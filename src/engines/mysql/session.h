// SPDX-License-Identifier: Apache-2.0

// engines/mysql/session.h - the waist's session over a database.

#pragma once

#include <memory>

#include "engines/mysql/backend.h"
#include "engines/mysql/renewal.h"
#include "holdfast/engine/session.h"

namespace holdfast::mysql {

class MysqlSession final : public engine::Session {
 public:
  explicit MysqlSession(std::shared_ptr<Backend> backend) noexcept
      : backend_(std::move(backend)), renewal_(*backend_) {}

  engine::Traits traits(engine::Kind kind) const noexcept override;
  Result<std::shared_ptr<engine::Resource>> bind(
      const engine::Address& address) override;
  Result<void> renew(std::span<engine::ClaimRef> refs, engine::Deadline until) override;
  Result<engine::Page> list(std::string_view prefix, std::string_view from,
                            engine::Deadline until) override;
  Result<std::uint64_t> sweep(std::chrono::seconds unused_for,
                              engine::Deadline until) override;
  std::vector<std::string> warnings() const override;
  std::vector<engine::ServerDescription> servers() const override {
    return {backend_->description()};
  }

 private:
  // With ?mode=getlock there are no tables.
  bool has_tables() const noexcept {
    return backend_->options().mode != LockMethod::getlock;
  }

  const std::shared_ptr<Backend> backend_;
  Renewal renewal_;
};

}  // namespace holdfast::mysql
