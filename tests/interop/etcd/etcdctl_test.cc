// SPDX-License-Identifier: Apache-2.0

// `etcdctl lock` and `etcdctl elect` beside our Mutex and Election.

#include "interop/etcd/etcdctl.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <future>
#include <iostream>

#include "holdfast/election.h"
#include "holdfast/mutex.h"
#include "support/temp_dir.h"

namespace holdfast::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using Time = steady_clock::time_point;

constexpr int kGrants = 20;
constexpr int kSeconds = 2;  // the length of a lease

class Etcdctl : public EtcdInterop {
 protected:
  const Client client = open("Mutex");

  static Process start_lock(const std::string& name) {
    return etcdctl({"lock", "--ttl", std::to_string(kSeconds), name});
  }

  static void judge(const char* direction, std::vector<double> waits) {
    std::ranges::sort(waits);
    std::cout << direction << ": p50 " << waits[waits.size() / 2] << " ms, longest "
              << waits.back() << " ms\n";
    EXPECT_LT(waits.back(), static_cast<double>(scaled(milliseconds(1500)).count()));
  }
  static double ms(Time from, Time to) {
    return std::chrono::duration<double, std::milli>(to - from).count();
  }
};

// The holder makes a folder and removes it, so a second holder cannot make it.
TEST_F(Etcdctl, NeverLetsTwoIn) {
  constexpr int kCallers = 4;  // on each side
  const char* given = std::getenv("HOLDFAST_INTEROP_GRANTS");
  const long grants = (given == nullptr ? 1000 : std::stol(given)) / 10 / kCallers;
  const TempDir dir;
  const std::string inside = dir.file("inside");
  const auto ours = [&] {
    const Client mine = open("Mutex");
    Mutex mutex(mine, lock);
    long wrong = 0;
    for (long i = 0; i < grants; ++i) {
      auto hold = mutex.acquire().value();
      if (mkdir(inside.c_str(), 0700) != 0 || rmdir(inside.c_str()) != 0) ++wrong;
      hold.release().value();
    }
    return wrong;
  };
  const auto theirs = [&] {
    long wrong = 0;
    for (long i = 0; i < grants; ++i) {
      Process one = etcdctl(
          {"lock", "--", lock, "sh", "-c", "mkdir \"$0\" && rmdir \"$0\"", inside});
      if (one.wait() != 0) ++wrong;
    }
    return wrong;
  };
  std::vector<std::future<long>> all;
  for (int i = 0; i < kCallers; ++i) {
    all.push_back(std::async(std::launch::async, ours));
    all.push_back(std::async(std::launch::async, theirs));
  }
  for (auto& each : all) EXPECT_EQ(each.get(), 0);
}

TEST_F(Etcdctl, WakesUs) {
  std::vector<double> waits;
  for (int i = 0; i < kGrants; ++i) {
    const std::string one = lock + std::to_string(i);
    Process holder = start_lock(one);
    ASSERT_TRUE(holder.read_line());
    auto granted = std::async(std::launch::async, [&] {
      Mutex mutex(client, one);
      const auto hold = mutex.acquire({.wait = patience()}).value();
      return steady_clock::now();
    });
    ASSERT_TRUE(awaited(one));
    const auto released = steady_clock::now();
    holder.signal(SIGTERM);
    waits.push_back(ms(released, granted.get()));
    EXPECT_EQ(holder.wait(), 0);
  }
  judge("from etcdctl to us", waits);
}

TEST_F(Etcdctl, IsWokenByUs) {
  std::vector<double> waits;
  for (int i = 0; i < kGrants; ++i) {
    const std::string one = lock + std::to_string(i);
    Mutex mutex(client, one);
    auto hold = mutex.acquire().value();
    Process waiter = start_lock(one);
    ASSERT_TRUE(awaited(one));
    const auto released = steady_clock::now();
    hold.release().value();
    const auto key = waiter.read_line();
    waits.push_back(ms(released, steady_clock::now()));
    EXPECT_EQ(key, keys(one).at(0));
    waiter.signal(SIGTERM);
    EXPECT_EQ(waiter.wait(), 0);
  }
  judge("from us to etcdctl", waits);
}

TEST_F(Etcdctl, KilledKeepsUsOutForItsLease) {
  Process victim = start_lock(lock);
  ASSERT_TRUE(victim.read_line());
  Mutex mutex(client, lock);
  EXPECT_EQ(
      code_of(mutex.acquire({.wait = std::chrono::milliseconds(1500 * kSeconds)})),
      Errc::timed_out);
  victim.signal(SIGKILL);
  victim.wait();
  const auto death = steady_clock::now();
  const auto hold = mutex.acquire({.wait = patience()});
  ASSERT_TRUE(hold) << hold.error().message();
  EXPECT_LT(steady_clock::now() - death,
            std::chrono::seconds(kSeconds) + scaled(milliseconds(2000)));
}

TEST_F(Etcdctl, GetsInAfterTheDeathOfOurs) {
  const milliseconds lease = scaled(milliseconds(2000));
  Process victim(
      {HOLDFAST_INTEROP_HOLDER, url(), "Mutex", lock, std::to_string(lease.count())});
  ASSERT_EQ(victim.read_line(), "held");
  Process waiter = start_lock(lock);
  EXPECT_FALSE(waiter.read_line(lease * 3 / 2));
  victim.signal(SIGKILL);
  victim.wait();
  const auto death = steady_clock::now();
  EXPECT_TRUE(waiter.read_line());
  EXPECT_LT(steady_clock::now() - death, lease + scaled(milliseconds(2000)));
}

TEST_F(Etcdctl, LeadsAndWeSeeIt) {
  Election election(client, lock);
  Process candidate = etcdctl({"elect", lock, "etcdctl"});
  ASSERT_TRUE(candidate.read_line());
  EXPECT_EQ(election.leader().value().value_or(Leader()).payload, "etcdctl");
  candidate.signal(SIGTERM);
  EXPECT_EQ(candidate.wait(), 0);
  EXPECT_FALSE(election.leader().value());
}

TEST_F(Etcdctl, IsToldOfOurLeaders) {
  Election election(client, lock);
  election.campaign("one").value();
  Process listener = etcdctl({"elect", "--listen", lock});
  EXPECT_EQ(listener.read_line(), keys(lock).at(0));
  EXPECT_EQ(listener.read_line(), "one");
  election.proclaim("two").value();
  EXPECT_EQ(listener.read_line(), keys(lock).at(0));
  EXPECT_EQ(listener.read_line(), "two");
}

}  // namespace
}  // namespace holdfast::test
