// SPDX-License-Identifier: Apache-2.0

// engines/etcd/registers.h - registers: a number in one key.
//
// A change requires the revision that was seen last. If that is out of date, the
// refusal contains the present one, and kit::RegisterLoop tries again.
//
// The receipt of a change is a key that only this session writes, in the same
// transaction as the register's. The transaction requires the receipt as it was last
// seen, so a request that arrives late changes nothing.

#pragma once

#include <optional>
#include <string>

#include "base/mutex.h"
#include "engines/etcd/backend.h"
#include "engines/etcd/register_text.h"
#include "engines/etcd/resource.h"
#include "engines/etcd/transport/txn.h"
#include "engines/kit/with_register.h"

namespace holdfast::etcd {

// The class is safe for concurrent use.
class Register {
 public:
  // `alone`: a change is refused if there are keys below this one, because they belong
  // to a lock.
  Register(Backend& backend, std::string key, RegisterFormat format,
           bool alone = false);

  // These do what engine::Resource says of them. `note` is written after the number.
  Result<engine::Value> load(engine::Deadline until);
  Result<engine::Value> add(std::int64_t by, engine::Ticket ticket,
                            engine::Deadline until, const std::string& note = {});
  Result<engine::Exchanged> exchange(const engine::Value& from,
                                     std::optional<std::int64_t> to,
                                     engine::Ticket ticket, engine::Deadline until,
                                     const std::string& note = {});

  // Returns the value in a key. Errc::wrong_kind: it is of another kind.
  Result<engine::Value> read(const wire::KeyValue* kv) const;

 private:
  class Store;

  engine::Value last() const;
  void remember(const engine::Value& value);

  Backend& backend_;
  const std::string key_;
  const RegisterFormat format_;
  const bool alone_;

  mutable base::Mutex mutex_;
  engine::Value last_ HOLDFAST_GUARDED_BY(mutex_);
};

// Serves counters, shared counts, latches and barriers: each is a register in a key of
// its own.
class RegisterResource final
    : public kit::WithRegister<RegisterResource, EtcdResource> {
 public:
  RegisterResource(std::shared_ptr<Backend> backend, std::string key,
                   RegisterFormat format)
      : WithRegister(std::move(backend), std::move(key)),
        register_(this->backend(), this->key(), format,
                  format != RegisterFormat::barrier) {}

  Register& number() noexcept { return register_; }

 private:
  Register register_;
};

}  // namespace holdfast::etcd
