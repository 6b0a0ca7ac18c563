// SPDX-License-Identifier: Apache-2.0

// bench/free_port.h - where a server of our own can listen.

#pragma once

namespace holdfast::bench {

// Returns a free port of 127.0.0.1; another process may take it meanwhile. Throws
// std::runtime_error.
int free_port();

}  // namespace holdfast::bench
