// SPDX-License-Identifier: Apache-2.0

// engines/mysql/names.h - how owners, bells and kinds are spelt in the database.

#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "holdfast/engine/claim.h"

namespace holdfast::mysql {

// The column `kind` has these numbers.
constexpr std::int64_t number_of(engine::Kind kind) noexcept {
  return static_cast<std::int64_t>(kind) + 1;
}
constexpr engine::Kind kind_of(std::int64_t number) noexcept {
  return static_cast<engine::Kind>(number - 1);
}

// Spells the names of one client. The class is immutable.
class Names {
 public:
  Names(const std::array<std::uint8_t, 16>& client, std::string_view database);

  const std::string& client() const noexcept { return client_; }

  // Returns the owner of a claim: "<client>:<ticket>".
  std::string owner_of(engine::Ticket ticket) const;

  // These return the bell of a mutex, and that of a claim in a queue. Names for
  // GET_LOCK belong to the whole server, so the first has a hash of the database.
  std::string bell_of(std::uint64_t resource, std::uint64_t epoch) const;
  static std::string bell_of(const std::string& owner) { return "hf:" + owner; }

 private:
  const std::string client_;
  const std::string bell_prefix_;
};

}  // namespace holdfast::mysql
