// SPDX-License-Identifier: Apache-2.0

// These cases are about a client that is closed.

#include <gtest/gtest.h>

#include <future>

#include "conformance/conformance.h"
#include "holdfast/mutex.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

class Close : public Conformance {};
HOLDFAST_CONFORMANCE(Close);

TEST_P(Close, GivesBackAndLosesItsHolds) {
  Client client = open();
  Mutex mutex(client, name("a"));
  Mutex other(open(), name("a"));
  auto hold = mutex.acquire().value();
  const std::stop_token lost = hold.lost();
  client.close();
  EXPECT_TRUE(eventually([&] { return lost.stop_requested(); }));
  EXPECT_FALSE(hold.valid());
  EXPECT_TRUE(other.try_lock());
  const auto released = hold.release();
  ASSERT_FALSE(released);
  EXPECT_EQ(released.error().code, Errc::not_held);
  EXPECT_FALSE(Mutex(open(), name("a")).try_lock()) << "it released another's lock";
  other.unlock();
}

TEST_P(Close, GivesBackWhatAMutexHolds) {
  Client client = open();
  Mutex mutex(client, name("a"));
  Mutex other(open(), name("a"));
  mutex.lock();
  client.close();
  EXPECT_TRUE(other.try_lock());
  mutex.unlock();
  EXPECT_FALSE(Mutex(open(), name("a")).try_lock()) << "it released another's lock";
  other.unlock();
}

TEST_P(Close, LaterCallsSayClosed) {
  Client client = open();
  Mutex mutex(client, name("a"));
  client.close();
  const auto refused = mutex.acquire();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::closed);
  try {
    mutex.lock();
    ADD_FAILURE() << "locked a closed client's mutex";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::closed);
  }
  client.close();
}

TEST_P(Close, EndsAWait) {
  Client client = open();
  Mutex mutex(open(), name("a"));
  const auto hold = mutex.acquire().value();
  Mutex waiting_mutex(client, name("a"));
  auto refused = std::async(std::launch::async, [&] {
    const auto got = waiting_mutex.acquire({.wait = patience()});
    return got ? std::error_code{} : got.error().code;
  });
  ASSERT_TRUE(waiting(open(), {engine::Kind::mutex, name("a")}, 1));
  client.close();
  EXPECT_EQ(refused.get(), Errc::closed);
  EXPECT_TRUE(waiting(open(), {engine::Kind::mutex, name("a")}, 0));
}

TEST_P(Close, IsDoneByTheLastCopy) {
  Mutex other(open(), name("a"));
  {
    Mutex mutex(open(), name("a"));
    mutex.lock();
    EXPECT_FALSE(other.try_lock());
  }
  EXPECT_TRUE(other.try_lock());
  other.unlock();
}

}  // namespace
}  // namespace holdfast::test
