// SPDX-License-Identifier: Apache-2.0

// Every example runs on every engine with a server. An example of something that the
// engine does not have says so and ends without an error.

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "cli/servers.h"
#include "support/process.h"
#ifdef HOLDFAST_WITH_REDIS
#include "support/redis_server.h"
#endif

namespace holdfast::test {
namespace {

constexpr std::array kExamples{"scoped_lock",  "acquire_with_wait", "fenced_write",
                               "lost_signal",  "recursive",         "fair_mutex",
                               "shared_mutex", "semaphore",         "latch",
                               "barrier",      "double_barrier",    "counter",
                               "optimistic",   "versioned",         "shared_count",
                               "election",     "multi_lock",        "locked"};

class Examples : public testing::TestWithParam<ServerEngine> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Examples);
INSTANTIATE_TEST_SUITE_P(, Examples, testing::ValuesIn(server_engines()),
                         [](const auto& test) { return test.param.name; });

TEST_P(Examples, RunToTheirEnd) {
  const Served served = GetParam().serve();
  for (const char* const each : kExamples) {
    Process example({std::string(HOLDFAST_EXAMPLES) + "/" + each},
                    {"HOLDFAST_URL=" + served.url});
    EXPECT_EQ(example.wait(), 0) << each;
  }
}

#ifdef HOLDFAST_WITH_REDIS
TEST(RedisExamples, TheStockInRedisRefusesALateHolder) {
  const RedisServer server;
  Process example({std::string(HOLDFAST_EXAMPLES) + "/redis_fence", "127.0.0.1",
                   std::to_string(server.port())});
  EXPECT_EQ(example.wait(), 0);
}
#endif

}  // namespace
}  // namespace holdfast::test
