// SPDX-License-Identifier: Apache-2.0

// engines/local/session.h - the waist's session over one segment.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engines/local/process_slot.h"
#include "holdfast/engine/session.h"

namespace holdfast::local {

class LocalSession final : public engine::Session {
 public:
  LocalSession(std::shared_ptr<ProcessSlot> process,
               std::vector<std::string> warnings) noexcept;

  engine::Traits traits(engine::Kind kind) const noexcept override;
  Result<std::shared_ptr<engine::Resource>> bind(
      const engine::Address& address) override;
  Result<void> renew(std::span<engine::ClaimRef> refs, engine::Deadline until) override;
  Result<engine::Page> list(std::string_view prefix, std::string_view from,
                            engine::Deadline until) override;
  int liveness_fd() const noexcept override { return process_->liveness_fd(); }
  std::vector<std::string> warnings() const override { return warnings_; }
  engine::Waker signal() override;
  std::vector<engine::ServerDescription> servers() const override {
    return {{process_->segment().path(), {}}};
  }

 private:
  std::shared_ptr<ProcessSlot> process_;
  const std::vector<std::string> warnings_;
};

}  // namespace holdfast::local
