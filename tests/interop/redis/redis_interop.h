// SPDX-License-Identifier: Apache-2.0

// tests/interop/redis/redis_interop.h - the fixture of tests about Redis alone.

#pragma once

#include "interop/interop.h"
#include "support/redis_server.h"

namespace holdfast::test {

RedisServer& redis();  // the server of all tests

}  // namespace holdfast::test
