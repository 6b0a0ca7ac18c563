// SPDX-License-Identifier: Apache-2.0

// shop/servers/free_port.h - a port for a server that cannot choose one itself.

#pragma once

#include <cstdint>

namespace holdfast::shop {

// Returns a TCP port of 127.0.0.1 on which no process listened a moment ago. Another
// process may take it before the server does. Throws Trouble.
std::uint16_t free_port();

}  // namespace holdfast::shop
