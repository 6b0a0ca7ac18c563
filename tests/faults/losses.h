// SPDX-License-Identifier: Apache-2.0

// tests/faults/losses.h - the server loses the session or the claim of a hold.

#pragma once

#include <functional>

#include "faults/bad_line.h"

namespace holdfast::test {

using TakeAway = std::function<void()>;

void the_hold_is_lost_and_the_client_goes_on(const BadLine& on, const TakeAway& take);
void nothing_comes_back(const BadLine& on, const TakeAway& take);
void registers_stay(const BadLine& on, const TakeAway& take);

}  // namespace holdfast::test
