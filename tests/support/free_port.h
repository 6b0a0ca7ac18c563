// tests/support/free_port.h - a port for a server that a test starts.

#pragma once

#include <cstdint>

namespace holdfast::test {

// A TCP port of 127.0.0.1 that nobody listened on a moment ago. Another process may
// take it before the server does; whoever starts a server tries again then.
std::uint16_t free_port();

}  // namespace holdfast::test
