// SPDX-License-Identifier: Apache-2.0

// Redisson's RFencedLock and our Mutex draw their tokens from one number.

#include "holdfast/mutex.h"
#include "interop/redis/redis_interop.h"

namespace holdfast::test {
namespace {

class Tokens : public Interop {
 protected:
  std::uint64_t java_token(const std::string& lock) {
    const Answer answer = peer().ask("t", "lock", "RFencedLock", lock, 1000, -1);
    EXPECT_EQ(answer.said, "ok") << answer.value;
    peer().ask("t", "unlock", "RFencedLock", lock);
    return std::stoull(answer.value);
  }
};

TEST_F(Tokens, GrowWithEveryGrantOnEitherSide) {
  const Client client = open("RFencedLock");
  Mutex mutex(client, name("lock"));
  std::uint64_t last = 0;
  for (int i = 0; i < 50; ++i) {
    const std::uint64_t java = java_token(name("lock"));
    EXPECT_GT(java, last);
    const auto hold = mutex.acquire({.wait = patience()});
    ASSERT_TRUE(hold) << hold.error().message();
    EXPECT_GT(hold->token().value, java);
    last = hold->token().value;
  }
}

TEST_F(Tokens, JavaGoesOnFromOurs) {
  const Client client = open("RFencedLock");
  Mutex mutex(client, name("lock"));
  const FencingToken ours = mutex.acquire().value().token();
  const std::uint64_t java = java_token(name("lock"));
  EXPECT_GT(java, ours.value);
  EXPECT_GT(mutex.acquire().value().token().value, java);
}

TEST_F(Tokens, KeyThatJavaMadeStaysForEver) {
  java_token(name("lock"));
  Mutex mutex(open("RFencedLock"), name("lock"));
  std::scoped_lock guard(mutex);
  const std::string key = "redisson_lock_token:{" + name("lock") + "}";
  EXPECT_EQ(server_of(key).command({"TTL", key}), "-1");
}

}  // namespace
}  // namespace holdfast::test
