// engines/mysql/session.h - the waist over a database.

#pragma once

#include <memory>
#include <unordered_set>

#include "base/mutex.h"
#include "engines/mysql/backend.h"
#include "holdfast/engine/session.h"

namespace holdfast::mysql {

class MysqlSession final : public engine::Session {
 public:
  explicit MysqlSession(std::shared_ptr<Backend> backend) noexcept;

  engine::Traits traits(engine::Kind kind) const noexcept override;
  Result<std::shared_ptr<engine::Resource>> bind(
      const engine::Address& address) override;
  Result<void> renew(std::span<engine::ClaimRef> refs, engine::Deadline until) override;
  Result<engine::Page> list(std::string_view prefix, std::string_view from,
                            engine::Deadline until) override;
  Result<std::uint64_t> sweep(std::chrono::seconds unused_for,
                              engine::Deadline until) override;
  std::vector<std::string> warnings() const override;
  engine::Waker signal() override;

 private:
  void renew_one(engine::ClaimRef& ref, engine::Deadline until);
  bool was_slow(const engine::ClaimRef* ref) const;
  void note(const engine::ClaimRef& ref, bool slow);

  const std::shared_ptr<Backend> backend_;

  mutable base::Mutex mutex_;
  // Those that could not be renewed the last time.
  std::unordered_set<engine::Ticket> slow_ HOLDFAST_GUARDED_BY(mutex_);
};

}  // namespace holdfast::mysql
