// engines/zookeeper/number.h - counter, shared count, latch and barrier: one node each.

#pragma once

#include "engines/zookeeper/register.h"
#include "engines/zookeeper/resource.h"

namespace holdfast::zookeeper {

class RegisterResource final : public ZookeeperResource {
 public:
  RegisterResource(std::shared_ptr<Backend> backend, std::string path,
                   RegisterFormat format)
      : ZookeeperResource(std::move(backend), std::move(path)),
        register_(this->backend(), this->path(), format) {}

  Result<engine::Value> load(engine::Deadline until) override {
    return register_.load(until, [this](Batch& batch) { arm(batch); });
  }
  Result<engine::Value> add(std::int64_t by, engine::Ticket ticket,
                            engine::Deadline until) override {
    return register_.add(by, ticket, until);
  }
  Result<engine::Exchanged> exchange(const engine::Value& from,
                                     std::optional<std::int64_t> to,
                                     engine::Ticket ticket,
                                     engine::Deadline until) override {
    return register_.exchange(from, to, ticket, until);
  }

 private:
  std::vector<WatchTarget> watch_targets() const override {
    return {{path(), Change::data}};
  }

  Register register_;
};

}  // namespace holdfast::zookeeper
