// SPDX-License-Identifier: Apache-2.0

// engines/quorum/session.h - the waist's session over the sessions of the nodes.

#pragma once

#include <memory>

#include "engines/quorum/backend.h"
#include "holdfast/engine/session.h"

namespace holdfast::quorum {

class QuorumSession final : public engine::Session {
 public:
  explicit QuorumSession(std::shared_ptr<Backend> backend) noexcept;

  engine::Traits traits(engine::Kind kind) const noexcept override;
  Result<std::shared_ptr<engine::Resource>> bind(
      const engine::Address& address) override;
  Result<void> renew(std::span<engine::ClaimRef> refs, engine::Deadline until) override;
  Result<engine::Page> list(std::string_view prefix, std::string_view from,
                            engine::Deadline until) override;
  std::vector<std::string> warnings() const override;
  std::vector<engine::ServerDescription> servers() const override;

 private:
  const std::shared_ptr<Backend> backend_;
};

}  // namespace holdfast::quorum
