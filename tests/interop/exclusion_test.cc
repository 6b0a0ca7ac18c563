// Threads of both sides want the same lock. Inside they do what goes wrong when
// somebody else is in.

#include <cstdlib>
#include <future>
#include <vector>

#include "interop/interop.h"

namespace holdfast::test {
namespace {

constexpr long kThreads = 4;  // of each side

// Of both sides together; HOLDFAST_INTEROP_GRANTS for more.
long grants() {
  const char* given = std::getenv("HOLDFAST_INTEROP_GRANTS");
  return given == nullptr ? 1000 : std::stol(given);
}
long grants_of_a_thread() { return grants() / (2 * kThreads); }

std::chrono::milliseconds enough() {
  return patience() + scaled(std::chrono::milliseconds(20 * grants()));
}

class Exclusion : public InteropOfKind {
 protected:
  const std::string java{GetParam()};
  const std::string lock = name("lock");
  const std::string key = name("number");

  void SetUp() override { ASSERT_EQ(server().command({"SET", key, "0"}), "OK"); }

  long number() { return std::stol(server().command({"GET", key})); }

  // What one thread of ours does: see the peer's Visit. False: somebody was in who must
  // not be.
  using Visit = std::function<bool(RedisSocket&)>;

  bool add(RedisSocket& redis) const {
    const long seen = redis.call({"GET", key}).number();
    redis.call({"SET", key, std::to_string(seen + 1)});
    return true;
  }
  bool read(RedisSocket& redis) const {
    return redis.call({"GET", key}).text == redis.call({"GET", key}).text;
  }
  bool count(RedisSocket& redis, long most) const {
    const long now = redis.call({"INCR", key}).number();
    redis.call({"DECR", key});
    return now <= most;
  }

  // Threads of one client; each says how many of its visits went wrong.
  std::vector<std::future<long>> start(const std::string& kind, const Visit& visit,
                                       long threads) {
    const auto caller = [this, kind, visit, client = open(kind)] {
      const auto ours = make_ours(kind, client, lock);
      RedisSocket redis(server().port());
      long wrong = 0;
      for (long i = 0; i < grants_of_a_thread(); ++i) {
        ours->acquire({.wait = enough()}).value();
        if (!visit(redis)) ++wrong;
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
  void expect_java_is_done(std::string_view thread) {
    const Answer answer = peer().answer(thread, enough());
    EXPECT_EQ(answer.said, "ok") << answer.value;
  }
};

TEST_P(Exclusion, NoUpdateIsLost) {
  prepare(java, lock);
  peer().tell("a", "contend", java, lock, "add", key, kThreads, grants_of_a_thread());
  const Visit visit = [this](RedisSocket& redis) { return add(redis); };
  auto some = start(java, visit, kThreads / 2);  // of two clients
  auto others = start(java, visit, kThreads / 2);
  expect_none_wrong(std::move(some));
  expect_none_wrong(std::move(others));
  expect_java_is_done("a");
  EXPECT_EQ(number(), 2 * kThreads * grants_of_a_thread());
}

INSTANTIATE_TEST_SUITE_P(, Exclusion,
                         testing::Values("RLock", "RFairLock", "RFencedLock",
                                         "RWriteLock", "RSemaphore",
                                         "RPermitExpirableSemaphore"),
                         kind_name);

class ReadersAndWriters : public Exclusion {};

TEST_P(ReadersAndWriters, NoReaderSeesAWriter) {
  const long half = kThreads / 2;
  peer().tell("r", "contend", "RReadLock", lock, "read", key, half,
              grants_of_a_thread());
  peer().tell("w", "contend", "RWriteLock", lock, "add", key, half,
              grants_of_a_thread());
  auto readers = start(
      "RReadLock", [this](RedisSocket& redis) { return read(redis); }, half);
  auto writers = start(
      "RWriteLock", [this](RedisSocket& redis) { return add(redis); }, half);
  expect_none_wrong(std::move(readers));
  expect_none_wrong(std::move(writers));
  expect_java_is_done("r");
  expect_java_is_done("w");
  EXPECT_EQ(number(), kThreads * grants_of_a_thread());
}

INSTANTIATE_TEST_SUITE_P(, ReadersAndWriters, testing::Values("RReadWriteLock"),
                         kind_name);

class Capacity : public Exclusion {};

TEST_P(Capacity, IsNeverExceeded) {
  constexpr long kPermits = 3;
  ASSERT_EQ(peer().ask("a", "set", java, lock, kPermits).value, "true");
  peer().tell("a", "contend", java, lock, std::to_string(kPermits), key, kThreads,
              grants_of_a_thread());
  expect_none_wrong(start(
      java, [this](RedisSocket& redis) { return count(redis, kPermits); }, kThreads));
  expect_java_is_done("a");
  EXPECT_EQ(peer().ask("a", "get", java, lock).value, std::to_string(kPermits));
}

INSTANTIATE_TEST_SUITE_P(, Capacity,
                         testing::Values("RSemaphore", "RPermitExpirableSemaphore"),
                         kind_name);

}  // namespace
}  // namespace holdfast::test
