// SPDX-License-Identifier: Apache-2.0

#include "engines/mysql/transport/statement.h"

#include <cstring>

namespace holdfast::mysql {

MYSQL_BIND& Args::next() {
  MYSQL_BIND& bind = binds_.at(used_);
  std::memset(&bind, 0, sizeof bind);
  ++used_;
  return bind;
}

Args& Args::add(std::uint64_t number, bool is_unsigned) {
  MYSQL_BIND& bind = next();
  std::uint64_t& kept = numbers_[used_ - 1];
  kept = number;
  bind.buffer_type = MYSQL_TYPE_LONGLONG;
  bind.buffer = &kept;
  bind.is_unsigned = is_unsigned ? 1 : 0;
  return *this;
}

Args& Args::operator<<(std::string_view text) {
  MYSQL_BIND& bind = next();
  bind.buffer_type = MYSQL_TYPE_STRING;
  bind.buffer = const_cast<char*>(text.data());
  bind.buffer_length = static_cast<unsigned long>(text.size());
  return *this;
}

Args& Args::operator<<(std::optional<std::int64_t> number) {
  if (number) return *this << *number;
  next().buffer_type = MYSQL_TYPE_NULL;
  return *this;
}

}  // namespace holdfast::mysql
