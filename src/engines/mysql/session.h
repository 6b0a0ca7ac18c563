// SPDX-License-Identifier: Apache-2.0

// engines/mysql/session.h - the waist's session, over a database: kit::SessionBackend
// says what these functions do.

#pragma once

#include <memory>

#include "engines/kit/session.h"
#include "engines/mysql/backend.h"
#include "engines/mysql/listing.h"
#include "engines/mysql/renewal.h"

namespace holdfast::mysql {

engine::Traits traits_of(const Backend& backend, engine::Kind kind) noexcept;
Result<std::shared_ptr<engine::Resource>> make_resource(
    const std::shared_ptr<Backend>& backend, const engine::Address& address);

class MysqlSession final : public kit::Session<Backend> {
 public:
  using Session::Session;

  Result<std::uint64_t> sweep(std::chrono::seconds unused_for,
                              engine::Deadline until) override {
    return sweep_names(backend(), unused_for, until);
  }
};

}  // namespace holdfast::mysql
