// engines/zookeeper/number.h - counter, shared count, latch and barrier: one node each.

#pragma once

#include "engines/zookeeper/register.h"
#include "engines/zookeeper/resource.h"

namespace holdfast::zookeeper {

class NumberResource final : public ZookeeperResource {
 public:
  NumberResource(std::shared_ptr<Backend> backend, std::string path, Layout layout)
      : ZookeeperResource(std::move(backend), std::move(path)),
        number_(this->backend(), this->path(), layout) {}

  Result<engine::Value> load(engine::Deadline until) override {
    return number_.load(until, [this](Batch& batch) { arm(batch); });
  }
  Result<engine::Value> add(std::int64_t by, engine::Ticket ticket,
                            engine::Deadline until) override {
    return number_.add(by, ticket, until);
  }
  Result<engine::Exchanged> exchange(const engine::Value& from,
                                     std::optional<std::int64_t> to,
                                     engine::Ticket ticket,
                                     engine::Deadline until) override {
    return number_.exchange(from, to, ticket, until);
  }

 private:
  std::vector<Spot> spots() const override { return {{path(), Change::data}}; }

  Register number_;
};

}  // namespace holdfast::zookeeper
