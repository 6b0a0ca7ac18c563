// A call is lost at every point of a scene: before it reached the server, or after it
// was carried out. The scene ends as if nothing had happened, and leaves nothing
// behind.

#include <gtest/gtest.h>

#include <functional>

#include "faults/etcd/ground.h"
#include "holdfast/counter.h"
#include "holdfast/double_barrier.h"
#include "holdfast/election.h"
#include "holdfast/semaphore.h"
#include "holdfast/shared_count.h"
#include "holdfast/shared_mutex.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

class EtcdLostCalls : public OnEtcd {
 protected:
  using Scene = std::function<void(const std::string& name)>;  // of its own every time
  int calls() const {
    auto passed = line_.passed();
    return passed["Txn"] + passed["Range"] + passed["Put"] + passed["DeleteRange"];
  }

  // `directory` of the name is where keys could be left.
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
        EXPECT_TRUE(has_keys(name + directory, 0));
      }
    }
  }
};

TEST_F(EtcdLostCalls, LockAndUnlock) {
  const Client client = open();
  FencingToken last;
  everywhere([&](const std::string& name) {
    Mutex mutex(client, name);
    auto hold = mutex.acquire({.wait = patience()});
    ASSERT_TRUE(hold) << hold.error().message();
    EXPECT_TRUE(hold->valid());
    EXPECT_EQ(static_cast<std::uint64_t>(only_key(name).created), hold->token().value);
    EXPECT_GT(hold->token(), last);
    last = hold->token();
  });
}

TEST_F(EtcdLostCalls, TheReleaseIsToldTruly) {
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

TEST_F(EtcdLostCalls, AWait) {
  const Client first = open();
  const Client second = open();
  everywhere([&](const std::string& name) {
    Mutex holder(first, name);
    Mutex waiter(second, name);
    auto held = holder.acquire({.wait = patience()});
    ASSERT_TRUE(held) << held.error().message();
    auto entered = wait_for(waiter);
    EXPECT_TRUE(has_keys(name, 2));
    (void)held->release();
    const Entered in = entered.get();
    EXPECT_TRUE(in.token) << in.why_not;
  });
}

TEST_F(EtcdLostCalls, AWaitThatIsGivenUp) {
  const Client first = open();
  const Client second = open();
  everywhere([&](const std::string& name) {
    Mutex holder(first, name);
    Mutex waiter(second, name);
    const auto held = holder.acquire({.wait = patience()});
    ASSERT_TRUE(held) << held.error().message();
    ASSERT_FALSE(waiter.acquire({.wait = scaled(100ms)}));
    EXPECT_TRUE(has_keys(name, 1));
  });
}

TEST_F(EtcdLostCalls, ALook) {
  const Client client = open();
  everywhere([&](const std::string& name) {
    Election election(client, name);
    const auto elected = election.campaign("ann", {.wait = patience()});
    ASSERT_TRUE(elected) << elected.error().message();
    EXPECT_TRUE(eventually([&] {
      const auto seen = election.leader();
      return seen && *seen && (*seen)->payload == "ann";
    }));
  });
}

TEST_F(EtcdLostCalls, ReadersAndADowngrade) {
  const Client client = open();
  everywhere([&](const std::string& name) {
    SharedMutex mutex(client, name);
    auto writer = mutex.acquire({.wait = patience()});
    ASSERT_TRUE(writer) << writer.error().message();
    const auto downgraded = writer->downgrade();
    ASSERT_TRUE(downgraded) << downgraded.error().message();
    EXPECT_TRUE(writer->valid());
  });
}

TEST_F(EtcdLostCalls, Permits) {
  const Client client = open();
  everywhere(
      [&](const std::string& name) {
        Semaphore semaphore(client, name, 3);
        auto two = semaphore.acquire(2, {.wait = patience()});
        ASSERT_TRUE(two) << two.error().message();
        EXPECT_EQ(keys(name + "/claims").size(), 1u);
        EXPECT_EQ(shell_.get(key(name + "/permits"))->value, "3");
      },
      "/claims");
}

// A `ready` that was left behind is taken away by the next one who comes.
TEST_F(EtcdLostCalls, Parties) {
  const Client client = open();
  everywhere(
      [&](const std::string& name) {
        DoubleBarrier barrier(client, name, 1);
        const auto entered = barrier.enter({.wait = patience()});
        ASSERT_TRUE(entered) << entered.error().message();
        const auto left = barrier.leave({.wait = patience()});
        EXPECT_TRUE(left) << left.error().message();
      },
      "/waiters");
}

TEST_F(EtcdLostCalls, AChangeIsMadeOnce) {
  const Client client = open();
  everywhere([&](const std::string& name) {
    Counter counter(client, name);
    for (int i = 1; i <= 3; ++i) {
      const auto sum = counter.add(5);
      ASSERT_TRUE(sum) << sum.error().message();
      EXPECT_EQ(sum->after, 5 * i);
    }
    EXPECT_EQ(shell_.get(key(name))->value, "15");
  });
}

TEST_F(EtcdLostCalls, AVersionedChangeIsMadeOnce) {
  const Client client = open();
  everywhere([&](const std::string& name) {
    SharedCount count(client, name, 1);
    const auto seen = count.get();
    ASSERT_TRUE(seen) << seen.error().message();
    const auto set = count.try_set(*seen, 7);
    ASSERT_TRUE(set) << set.error().message();
    EXPECT_TRUE(set->done);
    EXPECT_EQ(shell_.get(key(name))->value, "count 7");
  });
}

// Renewals go over the other connection; what they look up goes over this one.
TEST_F(EtcdLostCalls, Renewals) {
  const auto ttl = scaled(2s);
  const Client client = open(ttl);
  for (const bool reply : {false, true}) {
    const auto hold = Mutex(client, "a").acquire({.wait = patience()});
    ASSERT_TRUE(hold) << hold.error().message();
    reply ? line_.lose_replies(1) : line_.lose_requests(1);
    EXPECT_TRUE(throughout(2 * ttl, [&] { return hold->valid(); }));
    line_.lose_replies(0);
  }
}

}  // namespace
}  // namespace holdfast::test
