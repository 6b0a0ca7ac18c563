// SPDX-License-Identifier: Apache-2.0

#include "core/client_state.h"

#include <gtest/gtest.h>

#include <set>
#include <thread>
#include <vector>

#include "core/access.h"
#include "world.h"

namespace holdfast::core {
namespace {

using namespace std::chrono_literals;
using engine::Kind;
using test::Sort;

TEST(ClientStateTest, BindsOneObjectForOneAddress) {
  const auto client = test::join(test::make_world(Sort::leased_with_gate));
  const auto a = test::bind(client, "a");
  EXPECT_EQ(a, test::bind(client, "a"));
  EXPECT_NE(a, test::bind(client, "b"));
  EXPECT_NE(a, Access::state(client)->bind({Kind::semaphore, "a"}).value());
  EXPECT_NE(a->gate(), nullptr);
  EXPECT_EQ(test::bind(test::join(test::make_world(Sort::leased)), "a")->gate(),
            nullptr);
}

TEST(ClientStateTest, BindsAgainAResourceThatWasReleased) {
  const auto client = test::join(test::make_world(Sort::leased_with_gate));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(test::bind(client, "a")->name(), "a");
}

TEST(ClientStateTest, RefusesBadNamesAndUnknownKinds) {
  engine::Traits traits;
  traits.supported = false;
  const auto poor = test::join(test::FakeEngine::world(traits));
  EXPECT_EQ(Access::state(poor)->bind({Kind::mutex, "a"}).error().code,
            Errc::unsupported);
  const auto rich = test::join(test::make_world(Sort::plain));
  EXPECT_EQ(Access::state(rich)->bind({Kind::mutex, ""}).error().code, Errc::bad_name);
}

TEST(ClientStateTest, NeverGivesATicketTwice) {
  const auto client = test::join(test::make_world(Sort::plain));
  const auto other = test::join(test::make_world(Sort::plain));
  std::vector<std::vector<engine::Ticket>> drawn(4);
  {
    std::vector<std::jthread> threads;
    for (auto& mine : drawn) {
      threads.emplace_back([&] {
        for (int i = 0; i < 1000; ++i) {
          mine.push_back(Access::state(client)->next_ticket());
          if (i % 10 == 0) (void)Access::state(other)->next_ticket();
        }
      });
    }
  }
  std::set<engine::Ticket> all;
  for (const auto& mine : drawn) all.insert(mine.begin(), mine.end());
  EXPECT_EQ(all.size(), 4000u);
  EXPECT_FALSE(all.contains(engine::Ticket::none));
}

TEST(ClientStateTest, LimitsACallToAThirdOfTheTtlAndFiveSeconds) {
  const auto leased = test::join(test::make_world(Sort::leased), 3s);
  EXPECT_EQ(Access::state(leased)->call_time(), 1s);
  const auto patient = test::join(test::make_world(Sort::leased), 1h);
  EXPECT_EQ(Access::state(patient)->call_time(), 5s);
  for (const Sort sort : {Sort::leased, Sort::plain}) {
    const auto client = test::join(test::make_world(sort));
    const auto limit = test::bind(client, "a")->call_deadline();
    EXPECT_LE(limit, Clock::now() + Access::state(client)->call_time());
  }
}

}  // namespace
}  // namespace holdfast::core
