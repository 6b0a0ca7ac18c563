// engines/etcd/number.h - counter, shared count, latch and barrier: one key each.

#pragma once

#include "engines/etcd/register.h"
#include "engines/etcd/resource.h"

namespace holdfast::etcd {

class NumberResource final : public EtcdResource {
 public:
  NumberResource(std::shared_ptr<Backend> backend, std::string key, Layout layout)
      : EtcdResource(std::move(backend), std::move(key)),
        number_(this->backend(), this->key(), layout, layout != Layout::barrier) {}

  Result<engine::Value> load(engine::Deadline until) override {
    return number_.load(until);
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
  Register number_;
};

}  // namespace holdfast::etcd
