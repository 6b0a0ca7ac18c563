// SPDX-License-Identifier: Apache-2.0

// engines/redis/registers.h - the number behind one name.
//
// The layout says where the number is: in a string, as Redisson keeps it, in a hash of
// number and version, or in the keys of a semaphore, as its capacity.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engines/redis/backend.h"
#include "engines/redis/layout.h"
#include "engines/redis/names.h"
#include "holdfast/engine/session.h"

namespace holdfast::redis {

// It is made for one call. The arguments must outlive it.
class Registers {
 public:
  Registers(Backend& backend, const Layout& layout, std::string_view name,
            Slot slot) noexcept
      : backend_(backend),
        layout_(layout),
        name_(name),
        slot_(slot),
        names_(layout.prefixes, name) {}

  // engine::Resource explains these.
  Result<engine::Value> load(engine::Deadline until);
  Result<engine::Value> add(std::int64_t by, engine::Ticket ticket,
                            engine::Deadline until);
  Result<engine::Exchanged> exchange(const engine::Value& from,
                                     std::optional<std::int64_t> to,
                                     engine::Ticket ticket, engine::Deadline until);

 private:
  Part register_key() const noexcept;
  Result<Reply> run(const Invocation& call, engine::Deadline until);
  Result<Reply> change(const Script& script, engine::Ticket ticket,
                       const std::vector<std::string>& args, engine::Deadline until);
  Result<engine::Value> read_number(std::string_view text) const;
  engine::Value value_of(std::string_view text) const noexcept;
  std::string text_of(const engine::Value& value) const;

  Backend& backend_;
  const Layout& layout_;
  const std::string_view name_;
  const Slot slot_;
  const KeyNames names_;
};

}  // namespace holdfast::redis
