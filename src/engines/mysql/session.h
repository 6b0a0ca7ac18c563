// engines/mysql/session.h - the waist over a database.

#pragma once

#include <memory>

#include "engines/mysql/backend.h"
#include "holdfast/engine/session.h"

namespace holdfast::mysql {

class MysqlSession final : public engine::Session {
 public:
  explicit MysqlSession(std::shared_ptr<Backend> backend) noexcept;

  engine::Traits traits(engine::Kind kind) const noexcept override;
  Result<std::shared_ptr<engine::Resource>> bind(
      const engine::Address& address) override;
  Result<void> renew(std::span<engine::Stake> stakes, engine::Deadline until) override;
  Result<engine::Verdict> attempt_all(std::span<engine::Stake> stakes,
                                      const engine::Waker& waker,
                                      engine::Deadline until) override;
  Result<engine::Page> list(std::string_view prefix, std::string_view from,
                            engine::Deadline until) override;
  Result<std::uint64_t> sweep(std::chrono::seconds unused_for,
                              engine::Deadline until) override;
  std::vector<std::string> warnings() const override;
  engine::Waker signal() override;

 private:
  const std::shared_ptr<Backend> backend_;
};

}  // namespace holdfast::mysql
