// SPDX-License-Identifier: Apache-2.0

#include "conformance/exceptions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "conformance/claim_lock.h"
#include "holdfast/engine/sent_call.h"

namespace holdfast::test {
namespace {

constexpr Exception kExceptions[] = {
    {"Deaths", "fake", Lack::other_processes},
    {"Deaths", "fake_ungated", Lack::other_processes},
    {"BlockingPrimitiveDeaths", "fake", Lack::other_processes},
    {"BlockingPrimitiveDeaths", "fake_ungated", Lack::other_processes},
    {"BlockingPrimitiveRestarts", "fake", Lack::server},
    {"BlockingPrimitiveRestarts", "fake_ungated", Lack::server},
    {"DoubleBarrierDeaths", "fake", Lack::other_processes},
    {"DoubleBarrierDeaths", "fake_ungated", Lack::other_processes},
    {"DoubleBarrierRestarts", "fake", Lack::server},
    {"RegisterRestarts", "fake", Lack::server},
    {"SharedCountRestarts", "fake", Lack::server},
    {"DoubleBarrierRestarts", "fake_ungated", Lack::server},
    {"RegisterRestarts", "fake_ungated", Lack::server},
    {"SharedCountRestarts", "fake_ungated", Lack::server},
    {"ModelMultiLocks", "fake", Lack::other_processes},
    {"ModelMultiLocks", "fake_ungated", Lack::other_processes},
    {"ModelQueues", "fake", Lack::other_processes},
    {"ModelQueues", "fake_ungated", Lack::other_processes},
    {"Models", "fake", Lack::other_processes},
    {"Models", "fake_ungated", Lack::other_processes},
    {"Processes", "fake", Lack::other_processes},
    {"Processes", "fake_ungated", Lack::other_processes},
    {"LivenessFd", "fake", Lack::liveness_fd},
    {"SentCalls", "fake", Lack::sent_calls},
    {"LivenessFd", "fake_ungated", Lack::liveness_fd},
    {"SentCalls", "fake_ungated", Lack::sent_calls},
    {"Secrets", "fake", Lack::passwords},
    {"Secrets", "fake_ungated", Lack::passwords},
    {"Warnings", "fake", Lack::warnings},
    {"Warnings", "fake_ungated", Lack::warnings},
    {"Secrets", "toy", Lack::passwords},
    {"Warnings", "toy", Lack::warnings},
    {"Deaths", "toy", Lack::other_processes},
    {"BlockingPrimitiveDeaths", "toy", Lack::other_processes},
    {"BlockingPrimitiveRestarts", "toy", Lack::server},
    {"DoubleBarrierDeaths", "toy", Lack::other_processes},
    {"DoubleBarrierRestarts", "toy", Lack::server},
    {"RegisterRestarts", "toy", Lack::server},
    {"SharedCountRestarts", "toy", Lack::server},
    {"ModelMultiLocks", "toy", Lack::other_processes},
    {"ModelQueues", "toy", Lack::other_processes},
    {"Models", "toy", Lack::other_processes},
    {"Processes", "toy", Lack::other_processes},
    {"LivenessFd", "toy", Lack::liveness_fd},
    {"NamedTokens", "toy", Lack::named_tokens},
    {"SentCalls", "toy", Lack::sent_calls},
#if HOLDFAST_WITH_LOCAL
    {"BlockingPrimitiveOutages", "local", Lack::faults},
    {"BlockingPrimitiveRestarts", "local", Lack::server},
    {"Order", "local", Lack::order, Shape::mutex},
    {"Outages", "local", Lack::faults},
    {"DoubleBarrierRestarts", "local", Lack::server},
    {"RegisterRestarts", "local", Lack::server},
    {"SharedCountRestarts", "local", Lack::server},
    {"SentCalls", "local", Lack::sent_calls},
    {"Secrets", "local", Lack::passwords},
    {"Warnings", "local", Lack::warnings},
#endif
#if HOLDFAST_WITH_REDIS
    {"Order", "redis", Lack::order, Shape::mutex},
    {"LivenessFd", "redis", Lack::liveness_fd},
    {"Order", "redis_string", Lack::order, Shape::mutex},
    {"OneKind", "redis_string", Lack::kinds},
    {"KindMixUps", "redis_string", Lack::kinds},
    {"Removal", "redis_string", Lack::kinds},
    {"BlockingPrimitiveKinds", "redis_string", Lack::kinds},
    {"LivenessFd", "redis_string", Lack::liveness_fd},
    {"Order", "redis_cluster", Lack::order, Shape::mutex},
    {"LivenessFd", "redis_cluster", Lack::liveness_fd},
    {"SentCalls", "redis_cluster", Lack::sent_calls},
    {"Order", "redis_sentinel", Lack::order, Shape::mutex},
    {"LivenessFd", "redis_sentinel", Lack::liveness_fd},
    {"SentCalls", "redis_sentinel", Lack::sent_calls},
    {"LivenessFd", "quorum", Lack::liveness_fd},
    {"SentCalls", "quorum", Lack::sent_calls},
    {"NamedTokens", "quorum", Lack::named_tokens},
    {"BlockingPrimitiveRestarts", "quorum", Lack::waiters},
    {"Tokens", "quorum", Lack::order, Shape::fair_mutex},
    {"Order", "quorum", Lack::order, Shape::mutex},
    {"Order", "quorum", Lack::order, Shape::fair_mutex},
    {"Order", "quorum", Lack::order, Shape::shared_mutex},
    {"Order", "quorum", Lack::counted, Shape::semaphore},
    {"SemaphoreClaims", "quorum", Lack::counted},
    {"Semaphores", "quorum", Lack::counted},
    {"DoubleBarrierClaims", "quorum", Lack::counted},
    {"DoubleBarriers", "quorum", Lack::counted},
    {"DoubleBarrierDeaths", "quorum", Lack::counted},
    {"Registers", "quorum", Lack::registers},
    {"Counters", "quorum", Lack::registers},
    {"Latches", "quorum", Lack::registers},
    {"SharedCounts", "quorum", Lack::registers},
    {"DoubleBarrierRestarts", "quorum", Lack::counted},
    {"RegisterRestarts", "quorum", Lack::registers},
    {"SharedCountRestarts", "quorum", Lack::registers},
    {"OneKind", "quorum", Lack::registers},
    {"KindMixUps", "quorum", Lack::registers},
    {"Removal", "quorum", Lack::registers},
    {"Exclusion", "quorum", Lack::order, Shape::fair_mutex},
    {"Exclusion", "quorum", Lack::counted, Shape::semaphore},
    {"Eviction", "quorum", Lack::order, Shape::fair_mutex},
    {"Eviction", "quorum", Lack::counted, Shape::semaphore},
    {"BlockingPrimitives", "quorum", Lack::order, Shape::fair_mutex},
    {"BlockingPrimitives", "quorum", Lack::counted, Shape::semaphore},
    {"BlockingPrimitives", "quorum", Lack::registers, Shape::latch},
    {"BlockingPrimitives", "quorum", Lack::registers, Shape::barrier},
    {"BlockingPrimitiveDeaths", "quorum", Lack::order, Shape::fair_mutex},
    {"BlockingPrimitiveDeaths", "quorum", Lack::counted, Shape::semaphore},
    {"BlockingPrimitiveDeaths", "quorum", Lack::registers, Shape::latch},
    {"BlockingPrimitiveDeaths", "quorum", Lack::registers, Shape::barrier},
    {"BlockingPrimitiveOutages", "quorum", Lack::order, Shape::fair_mutex},
    {"BlockingPrimitiveOutages", "quorum", Lack::counted, Shape::semaphore},
    {"BlockingPrimitiveOutages", "quorum", Lack::registers, Shape::latch},
    {"BlockingPrimitiveOutages", "quorum", Lack::registers, Shape::barrier},
    {"BlockingPrimitiveKinds", "quorum", Lack::order, Shape::fair_mutex},
    {"BlockingPrimitiveKinds", "quorum", Lack::counted, Shape::semaphore},
    {"BlockingPrimitiveKinds", "quorum", Lack::registers, Shape::latch},
    {"BlockingPrimitiveKinds", "quorum", Lack::registers, Shape::barrier},
    {"Observers", "quorum", Lack::counted, {}, "SeeAClaimsOwnPayloadAndPermits"},
    {"Deaths", "quorum", Lack::counted, {}, "AKilledHolderReturnsItsPermits"},
    {"Deaths", "quorum", Lack::counted, {}, "AKilledPartyIsNotCounted"},
    {"Promises", "quorum", Lack::registers, {}, "EveryKindIsThere"},
    {"Deaths", "quorum", Lack::registers, {}, "ADeathEndsClaimsAndNothingElse"},
    {"BlockingPrimitiveKinds",
     "quorum",
     Lack::registers,
     {},
     "ALockAndANumberAreToldApart"},
    {"SharedClaims", "quorum", Lack::order, {}, "AWriterIsNotStarved"},
    {"SharedClaims", "quorum", Lack::order, {}, "ReadersBehindAWriterThatGivesUpGetIn"},
    {"Close", "quorum", Lack::waiters, {}, "EndsAWait"},
    {"Deaths", "quorum", Lack::waiters, {}, "AKilledHolderLetsTheWaiterIn"},
    {"Deaths", "quorum", Lack::waiters, {}, "AHolderThatJustEndsLetsTheWaiterIn"},
    {"Deaths", "quorum", Lack::waiters, {}, "AKilledWaiterDoesNotHoldUpTheQueue"},
    {"Deaths", "quorum", Lack::waiters, {}, "AChainOfDeathsDoesNotStopTheQueue"},
    {"Deaths", "quorum", Lack::waiters, {}, "AKilledReaderLetsTheWriterIn"},
    {"BlockingPrimitives", "quorum", Lack::waiters, {}, "WakeTheirWaiters"},
    {"BlockingPrimitives", "quorum", Lack::waiters, {}, "AreNotWaitedForAfterAStop"},
    {"BlockingPrimitives",
     "quorum",
     Lack::waiters,
     {},
     "OfAClosedClientAreNotWaitedFor"},
    {"BlockingPrimitiveDeaths", "quorum", Lack::waiters, {}, "AKilledWaiter"},
    {"Exclusion", "quorum", Lack::waiters, {}, "AWaiterGetsInWhenTheHolderLeaves"},
    {"Exclusion", "quorum", Lack::waiters, {}, "TheLongestWaitDoesNotOverflow"},
    {"Exclusion", "quorum", Lack::waiters, {}, "AStopDuringTheWaitEndsIt"},
    {"Administration", "quorum", Lack::waiters, {}, "ListsHoldersAndWaiters"},
    {"Observers", "quorum", Lack::waiters, {}, "SeeTheQueueInOrder"},
    {"Observers", "quorum", Lack::waiters, {}, "SeeNoMoreThanTheyAskedFor"},
    {"Observers", "quorum", Lack::waiters, {}, "EvictAWaiterAndTheQueueMovesOn"},
    {"Outages", "quorum", Lack::waiters, {}, "AnAbandonedWaitLeavesNothing"},
    {"Outages", "quorum", Lack::waiters, {}, "AWaiterOutlivesAShortOne"},
    {"Processes", "quorum", Lack::waiters, {}, "AWaiterIsWokenByAnotherProcess"},
    {"Repeats", "quorum", Lack::waiters, {}, "ABlockedAttemptIsTheSamePlace"},
    {"SharedMutexes",
     "quorum",
     Lack::waiters,
     {},
     "AReaderIsReentrantAlsoWhenAWriterWaits"},
    {"SharedMutexes",
     "quorum",
     Lack::waiters,
     {},
     "ADowngradeWakesReadersAndKeepsWritersOut"},
#endif
#if HOLDFAST_WITH_ZOOKEEPER
    {"LivenessFd", "zookeeper", Lack::liveness_fd},
    {"NamedTokens", "zookeeper", Lack::named_tokens},
    {"SentCalls", "zookeeper", Lack::sent_calls},
#endif
#if HOLDFAST_WITH_ETCD
    {"LivenessFd", "etcd", Lack::liveness_fd},
    {"NamedTokens", "etcd", Lack::named_tokens},
    {"SentCalls", "etcd", Lack::sent_calls},
    {"FewThreads", "etcd", Lack::few_threads},
    {"Warnings", "etcd", Lack::warnings},
#endif
#if HOLDFAST_WITH_MYSQL
    {"Order", "mysql", Lack::order, Shape::mutex},
    {"LivenessFd", "mysql", Lack::liveness_fd},
    {"NamedTokens", "mysql", Lack::named_tokens},
    {"SentCalls", "mysql", Lack::sent_calls},
    {"Administration", "mysql", Lack::waiters, {}, "ListsHoldersAndWaiters"},
    {"Observers", "mysql", Lack::waiters, {}, "SeeTheQueueInOrder"},
    {"Observers", "mysql", Lack::waiters, {}, "SeeNoMoreThanTheyAskedFor"},
    {"Observers", "mysql", Lack::waiters, {}, "EvictAWaiterAndTheQueueMovesOn"},
    {"Repeats", "mysql", Lack::waiters, {}, "ABlockedAttemptIsTheSamePlace"},
    {"Order", "mysql_rows", Lack::order, Shape::mutex},
    {"LivenessFd", "mysql_rows", Lack::liveness_fd},
    {"NamedTokens", "mysql_rows", Lack::named_tokens},
    {"SentCalls", "mysql_rows", Lack::sent_calls},
    {"Administration", "mysql_rows", Lack::waiters, {}, "ListsHoldersAndWaiters"},
    {"Observers", "mysql_rows", Lack::waiters, {}, "SeeTheQueueInOrder"},
    {"Observers", "mysql_rows", Lack::waiters, {}, "SeeNoMoreThanTheyAskedFor"},
    {"Observers", "mysql_rows", Lack::waiters, {}, "EvictAWaiterAndTheQueueMovesOn"},
    {"Repeats", "mysql_rows", Lack::waiters, {}, "ABlockedAttemptIsTheSamePlace"},
#endif
};

bool mistakes_a_counter_for_a_lock(EngineUnderTest& engine) {
  const Client client = engine.open({});
  const auto bind = [&](engine::Kind kind) {
    return client.session().bind({kind, "kinds"}).value();
  };
  (void)bind(engine::Kind::counter)->add(1, engine::Ticket::none, soon()).value();
  const engine::Claim claim{.ticket = next_ticket()};
  return bind(engine::Kind::mutex)->attempt(claim, nullptr, soon()).has_value();
}

bool hides_who_waits(EngineUnderTest& engine) {
  const engine::Address address{engine::Kind::mutex, "waiters"};
  const Client client = engine.open({});
  ClaimLock holder(client, address);
  ClaimLock waiter(engine.open({}), address);
  const bool waits = holder.begin() && !waiter.begin();
  return waits && holder.resource().survey(10, soon()).value().size() == 1;
}

bool has_threads_of_grpc(EngineUnderTest& engine) {
  const Client client = engine.open({});
  const std::filesystem::directory_iterator threads("/proc/self/task");
  return std::ranges::any_of(threads, [](const auto& each) {
    std::ifstream in(each.path() / "comm");
    std::string name;
    return std::getline(in, name) && name.starts_with("grpc_");
  });
}

// The whole call before leaves a connection, so that a request could be sent.
bool sends_nothing_ahead(EngineUnderTest& engine) {
  const Client client = engine.open({});
  const auto mutex = client.session().bind({engine::Kind::mutex, "sent"}).value();
  (void)mutex->survey(1, soon()).value();
  auto* const calls = dynamic_cast<engine::SplitCalls*>(mutex.get());
  return calls == nullptr || calls->send_attempt({.ticket = next_ticket()}) == nullptr;
}

// Returns the present case, without its parameter.
std::string_view case_of(const testing::TestInfo& test) {
  const std::string_view name = test.name();
  return name.substr(0, name.find('/'));
}

}  // namespace

std::span<const Exception> exceptions() { return kExceptions; }

bool is_excepted(std::string_view suite, std::string_view engine,
                 std::string_view shape) {
  return std::ranges::any_of(kExceptions, [&](const Exception& each) {
    return each.suite == suite && each.engine == engine && each.test_case.empty() &&
           (!each.shape || name_of(*each.shape) == shape);
  });
}

void skip_if_excepted(std::string_view engine) {
  const testing::TestInfo& test =
      *testing::UnitTest::GetInstance()->current_test_info();
  const bool named = std::ranges::any_of(kExceptions, [&](const Exception& each) {
    return each.suite == test.test_suite_name() && each.engine == engine &&
           each.test_case == case_of(test);
  });
  if (named) GTEST_SKIP() << "in the table of exceptions";
}

bool lacks(EngineUnderTest& engine, const Exception& exception) {
  switch (exception.lack) {
    case Lack::other_processes:
      return engine.url().empty();
    case Lack::faults:
      return engine.faults() == nullptr;
    case Lack::liveness_fd:
      return engine.open({}).session().liveness_fd() < 0;
    case Lack::server:
      return !engine.restart();
    case Lack::order:
      return !engine.open({})
                  .traits(kind_of(exception.shape.value_or(Shape::mutex)))
                  .orders;
    case Lack::named_tokens:
      return !engine.open({}).traits(engine::Kind::mutex).grants_named_tokens;
    case Lack::counted:
      return !engine.open({}).traits(engine::Kind::semaphore).supported;
    case Lack::registers:
      return !engine.open({}).traits(engine::Kind::counter).supported;
    case Lack::waiters:
      return hides_who_waits(engine);
    case Lack::kinds:
      return mistakes_a_counter_for_a_lock(engine);
    case Lack::few_threads:
      return has_threads_of_grpc(engine);
    case Lack::sent_calls:
      return sends_nothing_ahead(engine);
    case Lack::passwords:
      return engine.url_with(kSecret).empty();
    case Lack::warnings: {
      ClientOptions options;
      return engine.arrange_warning(options).empty();
    }
  }
  return false;
}

}  // namespace holdfast::test
