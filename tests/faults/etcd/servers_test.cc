// A server that dies, or stands still, under those who hold and wait.

#include <gtest/gtest.h>

#include <atomic>

#include "faults/etcd/ground.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

class EtcdRestart : public OnEtcd {
 protected:
  Client open() const { return open_directly(ttl_); }
  void restart() {
    server_.kill();
    server_.start();
  }

  const std::chrono::milliseconds ttl_ = scaled(2s);
};

TEST_F(EtcdRestart, KeepsTheHold) {
  const Client client = open();
  Mutex mutex(client, "a");
  auto hold = mutex.acquire().value();
  restart();
  EXPECT_TRUE(throughout(2 * ttl_, [&] { return hold.valid(); }));
  EXPECT_FALSE(Mutex(open(), "a").try_lock());
  EXPECT_TRUE(hold.release());
  EXPECT_GT(Mutex(client, "a").acquire().value().token(), hold.token());
}

TEST_F(EtcdRestart, KeepsTheWaiterAndItsPlace) {
  Mutex holder(open(), "a");
  Mutex waiter(open(), "a");
  auto hold = holder.acquire().value();
  auto entered = wait_for(waiter);
  ASSERT_TRUE(has_keys("a", 2));
  const auto place = keys("a").at(1).created;
  restart();
  EXPECT_TRUE(still_waits(entered));
  EXPECT_EQ(keys("a").at(1).created, place);
  (void)hold.release();
  const Entered in = entered.get();
  EXPECT_EQ(in.token.value, static_cast<std::uint64_t>(place)) << in.why_not;
}

TEST_F(EtcdRestart, ACalmOneToo) {
  Mutex mutex(open(), "a");
  auto hold = mutex.acquire().value();
  server_.stop();
  server_.start();
  EXPECT_FALSE(Mutex(open(), "a").try_lock()) << "the key outlived it";
}

TEST_F(EtcdRestart, ASaleGoesOn) {
  const Sale sale([this] { return open(); });
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(sale.goes_on()) << "restart " << i;
    restart();
  }
  EXPECT_TRUE(sale.goes_on());
}

class EtcdStandstill : public EtcdRestart {};

TEST_F(EtcdStandstill, ALongOneLosesTheHoldInTime) {
  Mutex mutex(open(), "a");
  auto hold = mutex.acquire().value();
  std::atomic<Clock::time_point> when{Clock::time_point::max()};
  const std::stop_callback on_loss(hold.lost(), [&] { when = Clock::now(); });
  server_.pause();
  const auto stopped = Clock::now();
  EXPECT_TRUE(eventually([&] { return when.load() != Clock::time_point::max(); }));
  EXPECT_LE(when.load() - stopped, ttl_ + scaled(100ms));
  EXPECT_FALSE(hold.valid());
  server_.resume();
  const auto next = Mutex(open(), "a").acquire({.wait = patience()});
  ASSERT_TRUE(next) << next.error().message();
  EXPECT_GT(next->token(), hold.token());
}

TEST_F(EtcdStandstill, AShortOneLosesNothing) {
  Mutex mutex(open(), "a");
  auto hold = mutex.acquire().value();
  server_.pause();
  EXPECT_TRUE(throughout(ttl_ / 3, [&] { return hold.valid(); }));
  server_.resume();
  EXPECT_TRUE(throughout(2 * ttl_, [&] { return hold.valid(); }));
  EXPECT_TRUE(hold.release());
}

TEST_F(EtcdStandstill, ACallEndsWhenItsTimeIsOver) {
  Mutex mutex(open(), "a");
  server_.pause();
  const auto start = Clock::now();
  const auto refused = mutex.acquire({.wait = scaled(300ms)});
  server_.resume();
  EXPECT_LT(Clock::now() - start, scaled(2s));
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().code, Errc::timed_out) << "nobody has it";
}

// What is written reaches the disk late; strace does that.
class EtcdSlowDisk : public OnEtcd {
 protected:
  EtcdSlowDisk() : OnEtcd({"--unsafe-no-fsync=false"}) {}
};

TEST_F(EtcdSlowDisk, LosesNothing) {
  const auto ttl = scaled(2s);
  const Client client = open_directly(ttl);
  Process slow({"setpriv", "--pdeathsig", "KILL", "strace", "-f", "-qq", "-o",
                "/dev/null", "-p", std::to_string(server_.pid()), "-e",
                "trace=fdatasync", "-e", "inject=fdatasync:delay_enter=300000"});
  if (slow.wait(scaled(500ms))) GTEST_SKIP() << "strace cannot attach here";
  Mutex mutex(client, "a");
  const auto start = Clock::now();
  auto hold = mutex.acquire({.wait = patience()});
  ASSERT_TRUE(hold) << hold.error().message();
  EXPECT_GE(Clock::now() - start, 300ms) << "the disk was not slow";
  EXPECT_TRUE(throughout(2 * ttl, [&] { return hold->valid(); }));
  const auto released = hold->release();
  EXPECT_TRUE(released) << released.error().message();
}

}  // namespace
}  // namespace holdfast::test
