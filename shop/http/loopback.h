// SPDX-License-Identifier: Apache-2.0

// shop/http/loopback.h - connections to the shop's own servers.

#pragma once

#include <cstdint>

namespace holdfast::shop {

// Returns a socket that is connected to this port of 127.0.0.1 and sends at once; the
// caller closes it. Throws Trouble.
int connect_to_loopback(std::uint16_t port);

}  // namespace holdfast::shop
