// SPDX-License-Identifier: Apache-2.0

// src/testing/fake_failures.h - what the server in memory refuses, spelt as in
// base/common_failures.h, which only the library can use.

#pragma once

#include <cstdint>

#include "holdfast/engine/claim.h"
#include "holdfast/result.h"

namespace holdfast::test {

Failure used_by_another_kind(const engine::Address& address);
Failure cannot_grow(const engine::Address& address);
Failure reader_cannot_write(const engine::Address& address);
Failure too_many_permits(const engine::Address& address, std::uint32_t wanted,
                         std::int64_t capacity);
Failure number_does_not_fit(const engine::Address& address);
Failure token_too_far_ahead(const engine::Address& address);
Failure was_given_up(const engine::Address& address);

}  // namespace holdfast::test
