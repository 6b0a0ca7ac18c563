// SPDX-License-Identifier: Apache-2.0

#include "faults/lost_calls.h"

#include "faults/ground.h"
#include "holdfast/counter.h"
#include "holdfast/double_barrier.h"
#include "holdfast/election.h"
#include "holdfast/engine/session.h"
#include "holdfast/mutex.h"
#include "holdfast/semaphore.h"
#include "holdfast/shared_count.h"
#include "holdfast/shared_mutex.h"
#include "support/eventually.h"

namespace holdfast::test {

using namespace std::chrono_literals;
using engine::Kind;

void everywhere(const LostCalls& calls, Kind kind, const Scene& scene) {
  scene("warm");
  const int before = calls.calls();
  scene("calm");
  const int steps = calls.calls() - before;
  ASSERT_GT(steps, 0);
  for (int step = 0; step < steps && !testing::Test::HasFailure(); ++step) {
    for (const bool reply : {false, true}) {
      const std::string name = std::to_string(step) + (reply ? "-reply" : "-request");
      SCOPED_TRACE(name);
      reply ? calls.on.line.lose_replies(1, step)
            : calls.on.line.lose_requests(1, step);
      scene(name);
      calls.on.line.lose_replies(0);
      EXPECT_TRUE(calls.on.has_claims({kind, name}, 0));
    }
  }
}

Client LostCalls::open() const { return on.open(ttl); }

Client LostCalls::open_directly() const { return on.open_directly(scaled(30s)); }

void a_lock_and_an_unlock(const LostCalls& calls) {
  const Client client = calls.open();
  everywhere(calls, Kind::mutex, [&](const std::string& name) {
    FencingToken last;
    for (int i = 0; i < 2; ++i) {
      Mutex mutex(client, name);
      const auto hold = mutex.acquire({.wait = patience()});
      ASSERT_TRUE(hold) << hold.error().message();
      EXPECT_TRUE(hold->valid());
      EXPECT_GT(hold->token(), last);
      last = hold->token();
      calls.compare(name, *hold);
    }
  });
}

void a_release_is_told_truly(const LostCalls& calls) {
  const Client client = calls.open();
  everywhere(calls, Kind::mutex, [&](const std::string& name) {
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

void a_wait(const LostCalls& calls) {
  const Client first = calls.open();
  const Client second = calls.open();
  everywhere(calls, Kind::mutex, [&](const std::string& name) {
    Mutex holder(first, name);
    Mutex waiter(second, name);
    auto held = holder.acquire({.wait = patience()});
    ASSERT_TRUE(held) << held.error().message();
    auto entered = wait_for(waiter);
    EXPECT_TRUE(calls.on.has_claims({Kind::mutex, name}, 2));
    (void)held->release();
    const Entered in = entered.get();
    EXPECT_TRUE(in.token) << in.why_not;
  });
}

void a_wait_that_is_given_up(const LostCalls& calls) {
  const Client first = calls.open();
  const Client second = calls.open();
  everywhere(calls, Kind::mutex, [&](const std::string& name) {
    Mutex holder(first, name);
    Mutex waiter(second, name);
    const auto held = holder.acquire({.wait = patience()});
    ASSERT_TRUE(held) << held.error().message();
    ASSERT_FALSE(waiter.acquire({.wait = scaled(100ms)}));
    EXPECT_TRUE(calls.on.has_claims({Kind::mutex, name}, 1));
  });
}

void a_look(const LostCalls& calls) {
  const Client client = calls.open();
  everywhere(calls, Kind::election, [&](const std::string& name) {
    Election election(client, name);
    const auto elected = election.campaign("ann", {.wait = patience()});
    ASSERT_TRUE(elected) << elected.error().message();
    EXPECT_TRUE(eventually([&] {
      const auto seen = election.leader();
      return seen && *seen && (*seen)->payload == "ann";
    }));
  });
}

void readers_and_a_downgrade(const LostCalls& calls) {
  const Client client = calls.open();
  const Client other = calls.open_directly();
  everywhere(calls, Kind::shared_mutex, [&](const std::string& name) {
    SharedMutex mutex(client, name);
    auto writer = mutex.acquire({.wait = patience()});
    ASSERT_TRUE(writer) << writer.error().message();
    const auto downgraded = writer->downgrade();
    ASSERT_TRUE(downgraded) << downgraded.error().message();
    EXPECT_TRUE(writer->valid());
    if (!other.session().traits(Kind::shared_mutex).downgrades) return;
    SharedMutex others(other, name);
    EXPECT_TRUE(others.try_lock_shared_for(patience()));
    others.unlock_shared();
  });
}

void permits(const LostCalls& calls) {
  const Client client = calls.open();
  const Client other = calls.open_directly();
  everywhere(calls, Kind::semaphore, [&](const std::string& name) {
    Semaphore semaphore(client, name, 3);
    const auto two = semaphore.acquire_many(2, {.wait = patience()});
    ASSERT_TRUE(two) << two.error().message();
    EXPECT_EQ(Semaphore(other, name, 3).available().value(), 1u);
  });
}

void parties(const LostCalls& calls) {
  const Client client = calls.open();
  everywhere(calls, Kind::double_barrier, [&](const std::string& name) {
    DoubleBarrier barrier(client, name, 1);
    const auto entered = barrier.enter({.wait = patience()});
    ASSERT_TRUE(entered) << entered.error().message();
    const auto left = barrier.leave({.wait = patience()});
    EXPECT_TRUE(left) << left.error().message();
  });
}

void a_change_is_made_once(const LostCalls& calls) {
  const Client client = calls.open();
  const Client other = calls.open_directly();
  everywhere(calls, Kind::counter, [&](const std::string& name) {
    Counter counter(client, name);
    for (int i = 1; i <= 3; ++i) {
      const auto sum = counter.add(5);
      ASSERT_TRUE(sum) << sum.error().message();
      EXPECT_EQ(sum->after, 5 * i);
    }
    EXPECT_EQ(Counter(other, name).get().value(), 15);
  });
}

void a_versioned_change_is_made_once(const LostCalls& calls) {
  const Client client = calls.open();
  const Client other = calls.open_directly();
  everywhere(calls, Kind::shared_count, [&](const std::string& name) {
    SharedCount count(client, name, 1);
    const auto seen = count.get();
    ASSERT_TRUE(seen) << seen.error().message();
    const auto set = count.compare_exchange(*seen, 7);
    ASSERT_TRUE(set) << set.error().message();
    EXPECT_TRUE(set->done);
    EXPECT_EQ(SharedCount(other, name).get().value().number, 7);
  });
}

}  // namespace holdfast::test
