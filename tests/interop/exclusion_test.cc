// SPDX-License-Identifier: Apache-2.0

// Threads of both sides want the same lock. The holder does what goes wrong if another
// thread holds the lock, too.

#include <cstdlib>
#include <functional>
#include <future>
#include <vector>

#include "interop/interop.h"
#include "interop/tally.h"

namespace holdfast::test {
namespace {

constexpr long kThreads = 4;  // on each side

// Returns the number of grants of both sides together. HOLDFAST_INTEROP_GRANTS sets
// more.
long grants() {
  const char* given = std::getenv("HOLDFAST_INTEROP_GRANTS");
  return given == nullptr ? 1000 : std::stol(given);
}
long grants_of_a_thread() { return grants() / (2 * kThreads); }

std::chrono::milliseconds enough() {
  return patience() + scaled(std::chrono::milliseconds(40 * grants()));
}

class Exclusion : public Interop {
 protected:
  const std::string lock = name("lock");
  // The peer's thread has a new name in each test, so that no test takes the late
  // answer of another one for its own.
  const std::string worker = name("worker");
  Tally tally;

  // One thread of ours does this. It returns false if another holder was there, too.
  using Enter = std::function<bool(Tally&)>;

  // Starts threads of one client. Each returns how often two holders were there.
  std::vector<std::future<long>> start(const std::string& kind, const Enter& enter,
                                       long threads) {
    const auto caller = [this, kind, enter, client = open(kind)] {
      const auto ours = make_ours(kind, client, lock);
      long wrong = 0;
      for (long i = 0; i < grants_of_a_thread(); ++i) {
        ours->acquire({.wait = enough()}).value();
        if (!enter(tally)) ++wrong;
        ours->release().value();
      }
      return wrong;
    };
    std::vector<std::future<long>> all;
    for (long i = 0; i < threads; ++i) {
      all.push_back(std::async(std::launch::async, caller));
    }
    return all;
  }

  static void expect_none_wrong(std::vector<std::future<long>> all) {
    for (auto& each : all) EXPECT_EQ(each.get(), 0);
  }
  void expect_peer_is_done(std::string_view thread) {
    const Answer answer = peer().answer(thread, enough());
    EXPECT_EQ(answer.said, "ok") << answer.value;
  }
};

class OneAlone : public Exclusion, public testing::WithParamInterface<const char*> {};

TEST_P(OneAlone, LosesNoUpdate) {
  const std::string kind = GetParam();
  prepare(kind, lock);
  peer().tell(worker, "contend", kind, lock, "add", tally.file(), kThreads,
              grants_of_a_thread());
  auto some = start(kind, &Tally::add, kThreads / 2);  // there are two clients
  auto others = start(kind, &Tally::add, kThreads / 2);
  expect_none_wrong(std::move(some));
  expect_none_wrong(std::move(others));
  expect_peer_is_done(worker);
  EXPECT_EQ(tally.number(), 2 * kThreads * grants_of_a_thread());
}

INSTANTIATE_TEST_SUITE_P(, OneAlone, testing::ValuesIn(kinds().exclusive), kind_name);

class ReadersAndWriters : public Exclusion {};

TEST_F(ReadersAndWriters, NoReaderSeesAWriter) {
  const long half = kThreads / 2;
  peer().tell(worker, "contend", kinds().reader, lock, "read", tally.file(), half,
              grants_of_a_thread());
  peer().tell(worker + "w", "contend", kinds().writer, lock, "add", tally.file(), half,
              grants_of_a_thread());
  auto readers = start(kinds().reader, &Tally::read, half);
  auto writers = start(kinds().writer, &Tally::add, half);
  expect_none_wrong(std::move(readers));
  expect_none_wrong(std::move(writers));
  expect_peer_is_done(worker);
  expect_peer_is_done(worker + "w");
  EXPECT_EQ(tally.number(), kThreads * grants_of_a_thread());
}

class Capacity : public Exclusion, public testing::WithParamInterface<const char*> {};

TEST_P(Capacity, IsNeverExceeded) {
  constexpr long kPermits = 3;
  const std::string kind = GetParam();
  ASSERT_EQ(peer().ask(worker, "set", kind, lock, kPermits).value, "true");
  peer().tell(worker, "contend", kind, lock, std::to_string(kPermits), tally.file(),
              kThreads, grants_of_a_thread());
  expect_none_wrong(start(
      kind, [](Tally& inside) { return inside.count(kPermits); }, kThreads));
  expect_peer_is_done(worker);
  EXPECT_EQ(peer().ask(worker, "get", kind, lock).value, std::to_string(kPermits));
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Capacity);  // Go has nothing that counts
INSTANTIATE_TEST_SUITE_P(, Capacity, testing::ValuesIn(kinds().counted), kind_name);

}  // namespace
}  // namespace holdfast::test
