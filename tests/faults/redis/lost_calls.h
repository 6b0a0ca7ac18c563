// SPDX-License-Identifier: Apache-2.0

// tests/faults/redis/lost_calls.h - the calls to Redis that may be lost.

#pragma once

#include "faults/lost_calls.h"
#include "faults/redis/ground.h"

namespace holdfast::test {

class RedisLostCalls : public OnRedis {
 protected:
  const LostCalls calls_ = lost_calls();
};

}  // namespace holdfast::test
