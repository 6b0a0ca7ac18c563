// SPDX-License-Identifier: Apache-2.0

// Registers that contain something else than expected.

#include <gtest/gtest.h>

#include <limits>

#include "faults/zookeeper/ground.h"
#include "holdfast/counter.h"
#include "holdfast/latch.h"
#include "holdfast/semaphore.h"
#include "holdfast/shared_count.h"

namespace holdfast::test {
namespace {

class Contents : public OnZookeeper {
 protected:
  Contents() { shell_.create(root_); }
  const Client client_ = open();
};

TEST_F(Contents, ACounterOfAnOddSizeIsRefused) {
  Counter counter(client_, "n");
  for (const std::size_t size : {1, 3, 5, 7, 9, 16, 500'000}) {
    const std::string odd(size, '\x01');
    if (shell_.exists(path("n"))) shell_.remove(path("n"));
    shell_.create(path("n"), odd);
    for (const auto& refused : {counter.add(1), counter.exchange(3)}) {
      ASSERT_FALSE(refused) << size;
      EXPECT_EQ(refused.error().code, Errc::wrong_kind) << refused.error().message();
    }
    EXPECT_EQ(counter.get().error().code, Errc::wrong_kind);
    EXPECT_EQ(shell_.get(path("n")), odd) << "it was written over";
  }
}

TEST_F(Contents, AnEmptyCounterIsZero) {
  shell_.create(path("n"));
  Counter counter(client_, "n");
  EXPECT_EQ(counter.get().value(), 0);
  EXPECT_EQ(counter.add(258).value().after, 258);
  EXPECT_EQ(shell_.get(path("n")), std::string("\0\0\0\0\0\0\1\2", 8));
}

TEST_F(Contents, ACounterOfFourBytesStaysOne) {
  shell_.create(path("n"), std::string("\xff\xff\xff\xfe", 4));
  Counter counter(client_, "n");
  EXPECT_EQ(counter.get().value(), -2);
  EXPECT_EQ(counter.add(9).value().after, 7);
  EXPECT_EQ(shell_.get(path("n")), std::string("\0\0\0\7", 4));
  const auto refused = counter.add(std::numeric_limits<std::int32_t>::max());
  ASSERT_FALSE(refused) << "peers would see another number";
  EXPECT_EQ(refused.error().code, Errc::bad_argument);
  EXPECT_EQ(shell_.get(path("n")), std::string("\0\0\0\7", 4));
}

TEST_F(Contents, ACounterThatOthersChangeIsReadAgain) {
  Counter counter(client_, "n");
  EXPECT_EQ(counter.add(1).value().after, 1);
  shell_.set(path("n"), std::string("\0\0\0\0\0\0\0\x0a", 8));
  EXPECT_EQ(counter.add(1).value().after, 11);
  shell_.remove(path("n"));
  EXPECT_EQ(counter.add(1).value().after, 1);
  shell_.remove(path("n"));
  shell_.create(path("n"), std::string("\0\0\0\0\0\0\0\x63", 8));
  EXPECT_EQ(counter.add(1).value().after, 100);
}

TEST_F(Contents, ASharedCountOfAnOddSizeIsRefused) {
  SharedCount count(client_, "n", 5);
  for (const std::size_t size : {1, 3, 5, 8, 500'000}) {
    const std::string odd(size, '\x01');
    if (shell_.exists(path("n"))) shell_.remove(path("n"));
    shell_.create(path("n"), odd);
    EXPECT_EQ(count.get().error().code, Errc::wrong_kind) << size;
    EXPECT_EQ(count.set(1).error().code, Errc::wrong_kind) << size;
    EXPECT_EQ(shell_.get(path("n")), odd) << "it was written over";
  }
}

TEST_F(Contents, ASharedCountTakesNoMoreThanItsPeers) {
  SharedCount count(client_, "n");
  for (const std::int64_t wide :
       {std::int64_t{1} << 31, -(std::int64_t{1} << 31) - 1}) {
    const auto refused = count.set(wide);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Errc::bad_argument) << refused.error().message();
  }
  EXPECT_TRUE(count.set(-2));
  EXPECT_EQ(shell_.get(path("n")), std::string("\xff\xff\xff\xfe", 4));
}

TEST_F(Contents, PermitsThatMakeNoSenseAreRefused) {
  shell_.create(path("s"));
  shell_.create(path("s") + "/permits", "too many");
  Semaphore semaphore(client_, "s", 2);
  const auto refused = semaphore.acquire({.wait = Timeout::zero()});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::wrong_kind) << refused.error().message();
  EXPECT_EQ(shell_.get(path("s") + "/permits"), "too many");
}

TEST_F(Contents, ALatchInWhichSomethingElseIsIsRefused) {
  for (const char* text : {"latch", "latch x y", "latch 99999999999999999999 a",
                           "latch -1 a", "a stranger", "127.0.0.1"}) {
    if (shell_.exists(path("l"))) shell_.remove(path("l"));
    shell_.create(path("l"), text);
    const auto refused = Latch(client_, "l").count_down();
    ASSERT_FALSE(refused) << text;
    EXPECT_EQ(refused.error().code, Errc::wrong_kind) << refused.error().message();
    EXPECT_EQ(shell_.get(path("l")), text) << "it was written over";
  }
}

// Our claims would wait for a lock of kazoo, but it would never wait for ours.
TEST_F(Contents, ALockOfKazooIsRefused) {
  shell_.create(path("a"));
  const std::string lock = shell_.create(
      path("a/fc2d1cba31e34a1e8e5a6b9a2c4d7e80__lock__"), {}, ZOO_EPHEMERAL_SEQUENTIAL);
  const auto refused = Mutex(client_, "a").acquire({.wait = patience()});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::wrong_kind) << refused.error().message();
  EXPECT_NE(refused.error().message().find("kazoo"), std::string::npos);
  EXPECT_TRUE(has_nodes("a", 1)) << "it must leave no place behind";
  shell_.remove(lock);
  EXPECT_TRUE(Mutex(client_, "a").acquire({.wait = patience()}));
}

}  // namespace
}  // namespace holdfast::test
