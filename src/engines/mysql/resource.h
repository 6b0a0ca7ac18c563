// SPDX-License-Identifier: Apache-2.0

// engines/mysql/resource.h - the waist's resource: what all kinds have in common.

#pragma once

#include <memory>
#include <vector>

#include "engines/kit/with_register.h"
#include "engines/mysql/backend.h"
#include "engines/mysql/name_row.h"
#include "engines/mysql/registers.h"

namespace holdfast::mysql {

// Every row has a column for a number, so every kind has a register. This class serves
// the kinds that are nothing but a number: latch, barrier, counter and shared count.
class MysqlResource : public kit::WithRegister<MysqlResource> {
 public:
  MysqlResource(std::shared_ptr<Backend> backend, const engine::Address& address);

  Register& number() noexcept { return number_; }

  Result<engine::Watch> watch(const engine::Waker& waker,
                              engine::Deadline until) override;

  // Extends a granted claim once, for `Session::renew`. Errc::not_held: it is not
  // granted any more.
  virtual Result<void> renew(const engine::Claim&, engine::Deadline) {
    return Errc::not_held;
  }

 protected:
  Backend& backend() const noexcept;
  NameRow& row() noexcept;
  const NameRow& row() const noexcept;
  HolderColumns holder_of(const engine::Claim& claim) const;

  // Does what `evict` says, for the kinds that have claims.
  Result<void> end_claim(std::string_view owner, engine::Deadline until);

 private:
  const std::shared_ptr<Backend> backend_;
  NameRow row_;
  Register number_;
};

}  // namespace holdfast::mysql
