// SPDX-License-Identifier: Apache-2.0

// engines/redis/hand_over.h - a grant that a release made for a waiter and published.
//
// The script that releases a lock grants it to the next waiter and sends the grant to
// the waiter's session, so that the waiter need not ask for it. The lease of such a
// grant is counted from a time on the server's clock; ServerTime translates it.

#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

#include "holdfast/engine/claim.h"

namespace holdfast::redis {

struct HandOver {
  FencingToken token;
  std::uint32_t tokens = 1;
  std::chrono::microseconds granted{};  // by the server's clock
  std::chrono::milliseconds lease{};
};

// Reads what follows the ticket in a message of the scripts: "token tokens time lease".
// Nothing means that the message only wakes.
std::optional<HandOver> read_hand_over(std::string_view text) noexcept;

// A ServerTime is what the server's clock said when it carried out a request that was
// sent at `sent`.
struct ServerTime {
  Clock::time_point sent;
  std::chrono::microseconds time{};

  // Returns a time that is not later than the grant, of which the client heard at
  // `heard`. The request was carried out after it was sent, so the server's clock is
  // ahead of this pair, and the result is early rather than late. A server's clock that
  // is set back in between makes the result earlier; one that is set forward makes it
  // later, but never later than `heard`.
  Clock::time_point of_grant(const HandOver& grant,
                             Clock::time_point heard) const noexcept;
};

}  // namespace holdfast::redis
