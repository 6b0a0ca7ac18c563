// engines/etcd/register_text.h - what a register looks like in etcd.
//
//   counter       42            shared_count  count 42
//   latch         latch 3       barrier       whatever else is there
//   permits       4, or with a note 4 1234

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

// Nothing: it is of another kind. A key that is not there is an absent value.
std::optional<engine::Value> read_register(RegisterFormat format,
                                           const wire::KeyValue* kv);

std::string register_text(RegisterFormat format, std::int64_t number);

// Of permits: the number behind the number; zero: none.
std::int64_t read_note(const std::string& value);

// Of which kind of ours the number in it is, if there is one.
std::optional<engine::Kind> kind_of_number(const std::string& value);
bool holds_a_number(const wire::KeyValue* kv);  // null: no key, and no number

}  // namespace holdfast::etcd
