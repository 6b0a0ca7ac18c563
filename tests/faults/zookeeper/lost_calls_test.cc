// A call is lost at every point of a scene: once before it reached the server, and once
// after it was carried out. The scene ends as if nothing had happened, and leaves
// nothing behind.

#include <gtest/gtest.h>

#include <functional>

#include "faults/zookeeper/ground.h"
#include "holdfast/counter.h"
#include "holdfast/semaphore.h"
#include "holdfast/shared_count.h"
#include "holdfast/shared_mutex.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

class LostCalls : public OnZookeeper {
 protected:
  // A shorter session: after a cut the library waits for a sixtieth of it.
  Client open() const { return OnZookeeper::open(scaled(6s)); }

  using Scene = std::function<void(const std::string& name)>;  // of its own every time

  int calls() const {
    int sum = 0;
    for (const auto& [word, number] : line_.passed()) {
      if (word != "ping" && word != "sign_on" && word != "watches") sum += number;
    }
    return sum;
  }

  // `directory` of the name is where nodes could be left.
  void everywhere(const Scene& scene, const std::string& directory = {}) {
    scene("warm");
    const int before = calls();
    scene("calm");
    const int steps = calls() - before;
    ASSERT_GT(steps, 0);
    for (int step = 0; step < steps && !HasFailure(); ++step) {
      for (const bool reply : {false, true}) {
        const std::string name = std::to_string(step) + (reply ? "-reply" : "-request");
        SCOPED_TRACE(name);
        reply ? line_.lose_replies(1, step) : line_.lose_requests(1, step);
        scene(name);
        line_.lose_replies(0);
        EXPECT_TRUE(has_nodes(name + directory, 0));
      }
    }
  }
};

TEST_F(LostCalls, LockAndUnlock) {
  const Client client = open();
  FencingToken last;
  everywhere([&](const std::string& name) {
    Mutex mutex(client, name);
    auto hold = mutex.acquire({.wait = patience()});
    ASSERT_TRUE(hold) << hold.error().message();
    EXPECT_TRUE(hold->valid());
    EXPECT_EQ(nodes(name).size(), 1u);
    EXPECT_EQ(static_cast<std::uint64_t>(shell_.stat(only_node(name)).czxid),
              hold->token().value);
    EXPECT_GT(hold->token(), last);
    last = hold->token();
  });
}

TEST_F(LostCalls, TheReleaseIsToldTruly) {
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

TEST_F(LostCalls, AWait) {
  const Client first = open();
  const Client second = open();
  everywhere([&](const std::string& name) {
    Mutex holder(first, name);
    Mutex waiter(second, name);
    auto held = holder.acquire({.wait = patience()});
    ASSERT_TRUE(held) << held.error().message();
    auto entered = wait_for(waiter);
    EXPECT_TRUE(has_nodes(name, 2));
    (void)held->release();
    const Entered in = entered.get();
    EXPECT_TRUE(in.token) << in.why_not;
  });
}

TEST_F(LostCalls, AWaitThatIsGivenUp) {
  const Client first = open();
  const Client second = open();
  everywhere([&](const std::string& name) {
    Mutex holder(first, name);
    Mutex waiter(second, name);
    const auto held = holder.acquire({.wait = patience()});
    ASSERT_TRUE(held) << held.error().message();
    ASSERT_FALSE(waiter.acquire({.wait = scaled(100ms)}));
    EXPECT_TRUE(has_nodes(name, 1));
  });
}

TEST_F(LostCalls, ReadersAndADowngrade) {
  const Client client = open();
  const Client other = open_directly();
  everywhere([&](const std::string& name) {
    SharedMutex mutex(client, name);
    auto writer = mutex.acquire({.wait = patience()});
    ASSERT_TRUE(writer) << writer.error().message();
    const auto downgraded = writer->downgrade();
    ASSERT_TRUE(downgraded) << downgraded.error().message();
    EXPECT_TRUE(writer->valid());
    SharedMutex others(other, name);
    EXPECT_TRUE(others.try_lock_shared_for(patience()));
    others.unlock_shared();
  });
}

TEST_F(LostCalls, Permits) {
  const Client client = open();
  everywhere(
      [&](const std::string& name) {
        Semaphore semaphore(client, name, 3);
        auto two = semaphore.acquire(2, {.wait = patience()});
        ASSERT_TRUE(two) << two.error().message();
        EXPECT_EQ(nodes(name + "/leases").size(), 2u);
      },
      "/leases");
}

TEST_F(LostCalls, AChangeIsMadeOnce) {
  const Client client = open();
  everywhere([&](const std::string& name) {
    Counter counter(client, name);
    for (int i = 1; i <= 3; ++i) {
      const auto sum = counter.add(5);
      ASSERT_TRUE(sum) << sum.error().message();
      EXPECT_EQ(sum->after, 5 * i);
    }
    EXPECT_EQ(shell_.get(path(name)), std::string("\0\0\0\0\0\0\0\x0f", 8));
  });
}

TEST_F(LostCalls, AVersionedChangeIsMadeOnce) {
  const Client client = open();
  everywhere([&](const std::string& name) {
    SharedCount count(client, name, 1);
    const auto seen = count.get();
    ASSERT_TRUE(seen) << seen.error().message();
    const auto set = count.try_set(*seen, 7);
    ASSERT_TRUE(set) << set.error().message();
    EXPECT_TRUE(set->done);
    EXPECT_EQ(shell_.get(path(name)), std::string("\0\0\0\x07", 4));
  });
}

TEST_F(LostCalls, Renewals) {
  const auto ttl = scaled(2s);
  const Client client = OnZookeeper::open(ttl);
  for (int step = 0; step < 4; ++step) {
    for (const bool reply : {false, true}) {
      Mutex mutex(client, "a");
      const auto hold = mutex.acquire({.wait = patience()});
      ASSERT_TRUE(hold) << hold.error().message();
      reply ? line_.lose_replies(1, step) : line_.lose_requests(1, step);
      EXPECT_TRUE(throughout(ttl, [&] { return hold->valid(); }));
      line_.lose_replies(0);
    }
  }
}

}  // namespace
}  // namespace holdfast::test
