// SPDX-License-Identifier: Apache-2.0

// base/ids.h - unique ids.

#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace holdfast::base {

using Uuid = std::array<std::uint8_t, 16>;

// Returns a version 4 UUID from the kernel's random numbers.
Uuid random_uuid();

// The text looks like "f47ac10b-58cc-4372-a567-0e02b2c3d479".
std::string to_string(const Uuid& id);

}  // namespace holdfast::base
