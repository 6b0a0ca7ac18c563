// SPDX-License-Identifier: Apache-2.0

// The user's own commands check the token: holdfast/redis_fence.h on a Redis server.

#include "holdfast/redis_fence.h"

#include <gmock/gmock.h>

#include "cli/program.h"
#include "support/redis_server.h"

namespace holdfast::test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// A shop with its stock in the server that also has the locks.
class RedisFenceOnAServer : public testing::Test {
 protected:
  RedisFenceOnAServer() {
    holdfast_.set("HOLDFAST_URL=" + server_.url());
    server_.command({"SET", "stock", "100"});
  }

  // Evicts the holder, starts another one and returns its token.
  FencingToken next_token() {
    (void)holdfast_({"unlock", "--force", "stock/1001"});
    const auto line =
        holdfast_.start({"run", "stock/1001", "--", "sh", "-c", kUntilTold})
            .read_line();
    return {std::stoull(line.value_or("0"))};
  }

  std::string sell(FencingToken token) {
    return server_.command(*fence_.write(token, {"stock"}, {"DECR", "stock"}));
  }
  std::string look(FencingToken token) {
    return server_.command(*fence_.read(token, {"stock"}, {"GET", "stock"}));
  }
  std::string look_shared(FencingToken token) {
    return server_.command(*fence_.read_shared(token, {"stock"}, {"GET", "stock"}));
  }

  RedisServer server_{{"save 3600 1"}};
  Program holdfast_;
  const RedisFence fence_ = RedisFence::of("stock:fence").value();
};

TEST_F(RedisFenceOnAServer, TheOldHolderIsRefused) {
  const FencingToken old = next_token();
  EXPECT_EQ(sell(old), "99");
  const FencingToken now = next_token();
  EXPECT_GT(now, old);
  EXPECT_EQ(sell(now), "98");
  EXPECT_EQ(sell(now), "97") << "the same holder was refused";
  const auto refused = RedisFence::explain_error(sell(old));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::stale_token);
  EXPECT_THAT(refused.error().message(), HasSubstr(std::to_string(now.value)));
  EXPECT_EQ(server_.command({"GET", "stock"}), "97");
}

// The new holder has only read when the old one wakes up, as in docs/guarantees.md.
TEST_F(RedisFenceOnAServer, TheFirstReadClosesTheFence) {
  EXPECT_EQ(look({17}), "100");
  EXPECT_EQ(look({18}), "100");
  EXPECT_FALSE(RedisFence::explain_error(sell({17})));
  EXPECT_EQ(sell({18}), "99");
}

TEST_F(RedisFenceOnAServer, ReadersDoNotFenceEachOther) {
  EXPECT_EQ(sell({17}), "99");
  EXPECT_EQ(look_shared({19}), "99");
  EXPECT_EQ(look_shared({18}), "99");
  EXPECT_EQ(server_.command({"GET", "stock:fence"}), "17");
  EXPECT_FALSE(RedisFence::explain_error(look_shared({16})));
}

// Lua would round these to the same number.
TEST_F(RedisFenceOnAServer, ComparesTokensBeyondTheNumbersOfLua) {
  constexpr std::uint64_t kLarge = (1ULL << 53) + 1;
  EXPECT_EQ(sell({kLarge}), "99");
  EXPECT_FALSE(RedisFence::explain_error(sell({kLarge - 1})));
  EXPECT_EQ(sell({~0ULL}), "98");
  EXPECT_FALSE(RedisFence::explain_error(sell({9})));
}

TEST_F(RedisFenceOnAServer, ACommandOfTheUserFailsByItself) {
  server_.command({"SET", "stock", "many"});
  const std::string reply = sell({17});
  EXPECT_THAT(reply, HasSubstr("not an integer"));
  EXPECT_TRUE(RedisFence::explain_error(reply)) << "the token was not the reason";
  EXPECT_FALSE(RedisFence::explain_error(sell({16}))) << "the holder was admitted";
}

TEST_F(RedisFenceOnAServer, AKeyWithoutATokenIsRefused) {
  server_.command({"SET", "stock:fence", "blue"});
  const auto refused = RedisFence::explain_error(sell({17}));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::bad_argument);
  EXPECT_EQ(server_.command({"GET", "stock"}), "100");
}

}  // namespace
}  // namespace holdfast::test
