// tests/interop/redis/redis_interop.h - the ground of what is about Redis alone.

#pragma once

#include "interop/interop.h"
#include "support/redis_server.h"

namespace holdfast::test {

RedisServer& redis();  // of all tests

}  // namespace holdfast::test
