// SPDX-License-Identifier: Apache-2.0

// tests/support/free_port.h - a port for a server that a test starts.

#pragma once

#include <cstdint>

namespace holdfast::test {

// Returns a TCP port of 127.0.0.1 on which no process listened a moment ago. Another
// process may take it before the server does; code that starts a server then tries
// again.
std::uint16_t free_port();

// The same, but never a port that this process was given before by this call: for
// servers that need several ports before the first of them listens.
std::uint16_t fresh_port();

}  // namespace holdfast::test
