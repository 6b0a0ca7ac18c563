// SPDX-License-Identifier: Apache-2.0

// tests/faults/redis/lost_calls.h - the calls to Redis that may be lost.

#pragma once

#include "faults/lost_calls.h"
#include "faults/redis/ground.h"

namespace holdfast::test {

class RedisLostCalls : public OnRedis {
 protected:
  int calls() const {
    auto passed = line_.passed();
    return passed["EVALSHA"] + passed["EVAL"];
  }

  const LostCalls calls_{bad_line_, [this] { return calls(); },
                         [this](const std::string& name, const Hold&) {
                           EXPECT_EQ(server_.command({"HLEN", name}), "1");
                         }};
};

}  // namespace holdfast::test
