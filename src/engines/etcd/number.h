// engines/etcd/number.h - counter, shared count, latch and barrier: one key each.

#pragma once

#include "engines/etcd/register.h"
#include "engines/etcd/resource.h"

namespace holdfast::etcd {

class RegisterResource final : public EtcdResource {
 public:
  RegisterResource(std::shared_ptr<Backend> backend, std::string key,
                   RegisterFormat format)
      : EtcdResource(std::move(backend), std::move(key)),
        register_(this->backend(), this->key(), format,
                  format != RegisterFormat::barrier) {}

  Result<engine::Value> load(engine::Deadline until) override {
    return register_.load(until);
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
  Register register_;
};

}  // namespace holdfast::etcd
