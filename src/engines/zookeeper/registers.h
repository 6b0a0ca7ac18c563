// SPDX-License-Identifier: Apache-2.0

// engines/zookeeper/registers.h - registers: a number in one node.
//
// A change requires the node's version that was seen last. If that is out of date,
// kit::RegisterLoop reads the node and tries again.

#pragma once

#include <optional>
#include <string>

#include "base/mutex.h"
#include "engines/kit/register_loop.h"
#include "engines/kit/with_register.h"
#include "engines/zookeeper/backend.h"
#include "engines/zookeeper/resource.h"
#include "engines/zookeeper/stored_register.h"

namespace holdfast::zookeeper {

// The class is safe for concurrent use.
class Register {
 public:
  // `resource` is the one that the register is of. It outlives the register.
  Register(const ZookeeperResource& resource, std::string path, RegisterFormat format);

  const std::string& path() const noexcept { return path_; }

  // These do what engine::Resource says of them. `load` sets the watches of the
  // resource in the same batch, before the read.
  Result<engine::Value> load(engine::Deadline until);
  Result<engine::Value> add(std::int64_t by, engine::Ticket ticket,
                            engine::Deadline until) {
    return kit::RegisterLoop(*this).add(by, ticket, until);
  }
  Result<engine::Exchanged> exchange(const engine::Value& from,
                                     std::optional<std::int64_t> to,
                                     engine::Ticket ticket, engine::Deadline until) {
    return kit::RegisterLoop(*this).exchange(from, to, ticket, until);
  }

  // Reads the register from an answer to `Batch::get(path())`. Errc::wrong_kind: the
  // node is something else.
  Result<StoredRegister> read(const Answer& node) const;

  // They fulfil kit::RegisterStore.
  using Seen = StoredRegister;
  using Receipt = zookeeper::Receipt;
  kit::ReceiptPool<Receipt>& receipts() noexcept { return backend_.receipts(); }
  std::optional<StoredRegister> cached() const;
  Result<StoredRegister> read(engine::Deadline until) { return fetch(until, false); }
  Result<kit::Written<StoredRegister>> write(const StoredRegister& stored,
                                             std::optional<std::int64_t> to,
                                             Receipt* receipt, engine::Deadline until);
  Result<void> look_up(Receipt& receipt, engine::Deadline until);
  engine::Value value_of(const StoredRegister& stored) const noexcept {
    return stored.value();
  }
  bool fits(const StoredRegister& stored, std::int64_t number) const noexcept {
    return zookeeper::fits(format_, stored, number);
  }
  bool is_latch() const noexcept { return format_ == RegisterFormat::latch; }
  std::string subject() const { return path_; }

 private:
  // Explains why a write was refused. Returns success if it is worth another try.
  Result<void> explain_refusal(int code, const StoredRegister& stored, Receipt* receipt,
                               int receipt_code, engine::Deadline until);
  Result<void> explain_missing(const StoredRegister& stored, engine::Deadline until);
  StoredRegister after_write(const StoredRegister& before,
                             std::optional<std::int64_t> to, const Stat& stat) const;

  Result<StoredRegister> fetch(engine::Deadline until, bool set_watches);
  void remember(std::optional<StoredRegister> stored);
  bool is_cacheable() const noexcept {
    return format_ == RegisterFormat::counter ||
           format_ == RegisterFormat::shared_count;
  }

  const ZookeeperResource& resource_;
  Backend& backend_;
  const std::string path_;
  const RegisterFormat format_;

  mutable base::Mutex mutex_;
  std::optional<StoredRegister> last_ HOLDFAST_GUARDED_BY(mutex_);
  std::shared_ptr<WatchSet> end_watch_
      HOLDFAST_GUARDED_BY(mutex_);  // watches for the deletion of the node
};

// Counter, shared count, latch and barrier: a register in a node of its own.
class RegisterResource final
    : public kit::WithRegister<RegisterResource, ZookeeperResource> {
 public:
  RegisterResource(std::shared_ptr<Backend> backend, std::string path,
                   RegisterFormat format)
      : WithRegister(std::move(backend), std::move(path)),
        register_(*this, this->path(), format) {}

  Register& number() noexcept { return register_; }

 private:
  std::vector<WatchTarget> watch_targets() const override {
    return {{path(), WatchFor::data}};
  }

  Register register_;
};

}  // namespace holdfast::zookeeper
