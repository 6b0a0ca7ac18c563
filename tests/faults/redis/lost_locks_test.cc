// A mutex whose calls are lost.

#include <gtest/gtest.h>

#include <future>

#include "conformance/claim_lock.h"
#include "faults/redis/lost_calls.h"
#include "holdfast/mutex.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using engine::Kind;

using LostLocks = LostCalls;

TEST_F(LostLocks, LockAndUnlock) {
  const Client client = open();
  FencingToken last;
  everywhere([&](const std::string&) {
    Mutex mutex(client, "always the same");
    auto hold = mutex.acquire({.wait = patience()});
    ASSERT_TRUE(hold) << hold.error().message();
    EXPECT_TRUE(hold->valid());
    EXPECT_GT(hold->token(), last);
    last = hold->token();
  });
}

TEST_F(LostLocks, TheReleaseIsToldTruly) {
  const Client client = open();
  everywhere([&](const std::string& name) {
    Mutex mutex(client, name);
    auto hold = mutex.acquire({.wait = patience()});
    ASSERT_TRUE(hold) << hold.error().message();
    const auto released = hold->release();
    if (!released) {
      EXPECT_EQ(released.error().code, Errc::outcome_unknown)
          << released.error().message();
    }
  });
}

TEST_F(LostLocks, AWait) {
  const Client first = open();
  const Client second = open();
  const Client observer = open_quietly(server_.url());
  everywhere([&](const std::string& name) {
    Mutex holder(first, name);
    Mutex waiter(second, name);
    holder.lock();
    auto entered = std::async(std::launch::async, [&] {
      auto hold = waiter.acquire({.wait = patience()});
      return hold ? std::string("in") : hold.error().message();
    });
    const auto resource = observer.session().bind({Kind::mutex, name}).value();
    EXPECT_TRUE(
        eventually([&] { return resource->survey(9, soon()).value().size() == 2; }));
    holder.unlock();
    EXPECT_EQ(entered.get(), "in");
  });
}

TEST_F(LostLocks, AWaitThatIsGivenUp) {
  const Client first = open();
  const Client second = open();
  everywhere([&](const std::string& name) {
    Mutex holder(first, name);
    Mutex waiter(second, name);
    holder.lock();
    const auto refused = waiter.acquire({.wait = scaled(100ms)});
    ASSERT_FALSE(refused);
    holder.unlock();
  });
}

TEST_F(LostLocks, Renewals) {
  const auto ttl = scaled(600ms);
  const Client client = open(ttl);
  everywhere([&](const std::string& name) {
    Mutex mutex(client, name);
    auto hold = mutex.acquire({.wait = patience()});
    ASSERT_TRUE(hold) << hold.error().message();
    EXPECT_TRUE(throughout(ttl * 3 / 2, [&] { return hold->valid(); }));
  });
}

}  // namespace
}  // namespace holdfast::test
