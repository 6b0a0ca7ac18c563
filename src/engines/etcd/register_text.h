// SPDX-License-Identifier: Apache-2.0

// engines/etcd/register_text.h - how a register is written as the value of a key.
//
//   counter       42            shared_count  count 42
//   latch         latch 3       barrier       any other value
//   permits       4; with a note 4 1234

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engines/etcd/transport/wire.pb.h"
#include "holdfast/engine/claim.h"

namespace holdfast::etcd {

enum class RegisterFormat : std::uint8_t {
  counter,
  shared_count,
  latch,
  barrier,
  permits
};

// Returns nullopt if the key is of another kind. A null `kv`, a key that does not
// exist, is an absent value.
std::optional<engine::Value> read_register(RegisterFormat format,
                                           const wire::KeyValue* kv);

std::string register_text(RegisterFormat format, std::int64_t number);

// Returns the note, the second number of permits, or zero if there is none.
std::int64_t read_note(const std::string& value);

// Returns the kind of register that the value is, if it is a number.
std::optional<engine::Kind> kind_of_number(const std::string& value);
bool holds_a_number(const wire::KeyValue* kv);  // false if `kv` is null

}  // namespace holdfast::etcd
