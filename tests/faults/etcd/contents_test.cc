// SPDX-License-Identifier: Apache-2.0

// Keys that contain something else than expected.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "faults/etcd/ground.h"
#include "holdfast/barrier.h"
#include "holdfast/counter.h"
#include "holdfast/double_barrier.h"
#include "holdfast/latch.h"
#include "holdfast/semaphore.h"
#include "holdfast/shared_count.h"

namespace holdfast::test {
namespace {

// None of these values is a number.
const std::vector<std::string>& junk() {
  static const std::vector<std::string> all{"",
                                            "-",
                                            "+1",
                                            "0x10",
                                            " 1",
                                            "1 ",
                                            "1.5",
                                            "ten",
                                            "--1",
                                            "1\n",
                                            "1e3",
                                            "9223372036854775808",
                                            "99999999999999999999",
                                            std::string(1, '\0'),
                                            std::string("1\0", 2),
                                            "\xff\xfe\x80",
                                            std::string(1'000'000, '9'),
                                            std::string(1'000'000, '\0')};
  return all;
}

std::string shown(const std::string& value) {
  return testing::PrintToString(value.substr(0, 40));
}

class EtcdContents : public OnEtcd {
 protected:
  // `use` must refuse each value at `at`, and leave it as it is.
  template <class Use>
  void refuses(const std::string& at, const std::string& head, Use use) {
    for (const std::string& each : junk()) {
      const std::string value = head + each;
      shell_.put(at, value);
      const std::error_code code = use();
      EXPECT_EQ(code, Errc::wrong_kind) << shown(value) << ": " << code.message();
      EXPECT_EQ(shell_.get(at)->value, value) << "it was written over";
    }
  }

  template <class T>
  static std::error_code code_of(const Result<T>& result) {
    return result ? std::error_code() : result.error().code;
  }

  const Client client_ = open();
};

TEST_F(EtcdContents, ACounterThatIsNoNumberIsRefused) {
  Counter counter(client_, "n");
  refuses(key("n"), {}, [&] { return code_of(counter.get()); });
  refuses(key("n"), {}, [&] { return code_of(counter.add(1)); });
  refuses(key("n"), {}, [&] { return code_of(counter.exchange(1)); });
}

TEST_F(EtcdContents, ASharedCountThatIsNoNumberIsRefused) {
  SharedCount count(client_, "n", 5);
  for (const std::string head : {"", "count ", "latch "}) {
    refuses(key("n"), head, [&] { return code_of(count.get()); });
    refuses(key("n"), head, [&] { return code_of(count.set(1)); });
  }
}

TEST_F(EtcdContents, ALatchThatIsNoNumberIsRefused) {
  Latch latch(client_, "n");
  for (const std::string head : {"", "latch ", "count "}) {
    refuses(key("n"), head, [&] { return code_of(latch.count_down()); });
  }
}

TEST_F(EtcdContents, PermitsThatAreNoNumberAreRefused) {
  Semaphore semaphore(client_, "s", 2);
  refuses(key("s/permits"), {},
          [&] { return code_of(semaphore.acquire({.wait = Timeout::zero()})); });
}

TEST_F(EtcdContents, KindsOfNumbersAreToldApart) {
  shell_.put(key("counter"), "42");
  shell_.put(key("count"), "count 42");
  shell_.put(key("latch"), "latch 42");
  EXPECT_EQ(code_of(Counter(client_, "count").add(1)), Errc::wrong_kind);
  EXPECT_EQ(code_of(Counter(client_, "latch").add(1)), Errc::wrong_kind);
  EXPECT_EQ(code_of(SharedCount(client_, "counter").set(1)), Errc::wrong_kind);
  EXPECT_EQ(code_of(SharedCount(client_, "latch").set(1)), Errc::wrong_kind);
  EXPECT_EQ(code_of(Latch(client_, "counter").count_down()), Errc::wrong_kind);
  EXPECT_EQ(code_of(Latch(client_, "count").count_down()), Errc::wrong_kind);
}

TEST_F(EtcdContents, ACounterThatOthersChangeIsReadAgain) {
  Counter counter(client_, "n");
  EXPECT_EQ(counter.add(1).value().after, 1);
  shell_.put(key("n"), "-10");
  EXPECT_EQ(counter.add(1).value().after, -9);
  shell_.remove(key("n"));
  EXPECT_EQ(counter.add(1).value().after, 1);
}

// A peer's claim whose value cannot be parsed counts as one permit.
TEST_F(EtcdContents, ASemaphoreIsNotExceededByOddClaims) {
  Semaphore semaphore(client_, "s", 1);
  for (const std::string& each : junk()) {
    shell_.put(key("s/claims/odd"), each);
    EXPECT_FALSE(semaphore.acquire({.wait = Timeout::zero()})) << shown(each);
  }
  shell_.remove(key("s/claims/odd"));
  const auto permit = semaphore.acquire({.wait = patience()});
  EXPECT_TRUE(permit) << permit.error().message();
}

TEST_F(EtcdContents, ALockIsNotDisturbedByOddValues) {
  Mutex mutex(client_, "a");
  for (const std::string& each : junk()) {
    shell_.put(key("a/odd"), each);
    EXPECT_FALSE(mutex.try_lock()) << shown(each);
  }
  shell_.remove(key("a/odd"));
  EXPECT_TRUE(mutex.try_lock());
}

TEST_F(EtcdContents, ADoubleBarrierIsNotDisturbedByOddValues) {
  for (const std::string& each : junk()) shell_.put(key("b/ready"), each);
  shell_.remove(key("b/ready"));
  shell_.put(key("b/waiters/odd"), "\xff");
  DoubleBarrier barrier(client_, "b", 2);
  const auto entered = barrier.enter({.wait = patience()});
  EXPECT_TRUE(entered) << "two are here: " << entered.error().message();
}

TEST_F(EtcdContents, ABarrierMayHoldAnything) {
  Barrier barrier(client_, "g");
  for (const std::string value : {"", "set by a stranger", "\xff\xfe"}) {
    shell_.put(key("g"), value);
    EXPECT_FALSE(barrier.wait({.wait = Timeout::zero()})) << shown(value);
  }
  shell_.remove(key("g"));
  EXPECT_TRUE(barrier.wait({.wait = Timeout::zero()}));
}

// python-etcd3 locks like this: one key with a lease, and an id of 16 bytes as its
// value.
TEST_F(EtcdContents, ALockOfAnotherLibraryIsRefused) {
  const std::string id(
      "\x8f\x00\xff\x12\x34\x56\x78\x9a\xbc\xde\xf0\x11\x22\x33\x44\x55", 16);
  shell_.put(key("a"), id, shell_.grant(std::chrono::seconds(60)));
  const Client client = open();
  const auto expect_refusal = [&](const auto& refused) {
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Errc::wrong_kind) << refused.error().message();
  };
  expect_refusal(Mutex(client, "a").acquire({.wait = Timeout::zero()}));
  expect_refusal(Semaphore(client, "a", 2).acquire({.wait = Timeout::zero()}));
  EXPECT_TRUE(has_keys("a", 0));
  EXPECT_EQ(shell_.get(key("a"))->value, id);
}

}  // namespace
}  // namespace holdfast::test
