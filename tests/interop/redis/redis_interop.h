// SPDX-License-Identifier: Apache-2.0

// tests/interop/redis/redis_interop.h - the servers of the tests about Redis.
//
// The cases are the same for every topology, and HOLDFAST_INTEROP_TOPOLOGY chooses one:
// "server", which is the default, or "cluster", which is three primaries.

#pragma once

#include "interop/interop.h"
#include "support/redis_server.h"

namespace holdfast::test {

bool in_cluster();

// Returns the server that has the keys of that name.
RedisServer& server_of(const std::string& name);

}  // namespace holdfast::test
