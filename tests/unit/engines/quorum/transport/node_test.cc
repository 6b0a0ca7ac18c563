// SPDX-License-Identifier: Apache-2.0

#include "engines/quorum/transport/node.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <vector>

#include "support/eventually.h"
#include "testing/fake_engine.h"

namespace holdfast::quorum {
namespace {

using namespace std::chrono_literals;
using engine::Deadline;
using test::eventually;
using test::FakeEngine;
using Session = Result<engine::Session*>;

class QuorumNodeTest : public testing::Test {
 protected:
  std::unique_ptr<Node> node(const RetryPolicy& retry = {}) {
    engine::SessionOptions options;
    options.retry = retry;
    return std::make_unique<Node>(std::make_shared<FakeEngine>(world_), options);
  }

  const std::shared_ptr<test::FakeWorld> world_ = FakeEngine::world();
};

TEST_F(QuorumNodeTest, DoesItsJobsInOrder) {
  std::vector<int> done;
  {
    const auto one = node();
    for (int i = 0; i < 100; ++i) {
      one->post(Deadline::max(), [&done, i](const Session& session) {
        if (session) done.push_back(i);
        return true;
      });
    }
  }
  ASSERT_EQ(done.size(), 100u) << "the thread ends when all jobs are done";
  for (int i = 0; i < 100; ++i) EXPECT_EQ(done[static_cast<std::size_t>(i)], i);
}

TEST_F(QuorumNodeTest, AJobThatComesTooLateIsToldSo) {
  std::promise<bool> asked;
  const auto one = node();
  one->post(Clock::now() - 1s, [&](const Session& session) {
    asked.set_value(session.has_value());
    return false;
  });
  EXPECT_FALSE(asked.get_future().get());
  EXPECT_FALSE(one->silent()) << "the node was not asked";
}

TEST_F(QuorumNodeTest, IsSilentUntilItAnswersAgain) {
  std::atomic<bool> answers{false};
  const auto one = node();
  const auto ask = [&] {
    std::promise<void> asked;
    one->post(Deadline::max(), [&](const Session&) { return answers.load(); });
    one->post(Deadline::max(), [&](const Session&) {
      asked.set_value();
      return answers.load();
    });
    asked.get_future().get();
  };
  ask();
  EXPECT_TRUE(one->silent());
  answers = true;
  ask();
  EXPECT_FALSE(one->silent());
}

TEST_F(QuorumNodeTest, ADebtIsPaidWhenTheNodeAnswers) {
  const auto one = node();
  std::atomic<int> tries{0};
  one->retry([&](const Session&) { return ++tries == 3; });
  EXPECT_TRUE(one->is_retrying());
  EXPECT_TRUE(eventually([&] { return tries == 3; }));
  std::promise<void> asked;
  one->post(Deadline::max(), [&](const Session&) {
    asked.set_value();
    return true;
  });
  asked.get_future().get();
  EXPECT_EQ(tries, 3);
  EXPECT_FALSE(one->is_retrying());
}

TEST_F(QuorumNodeTest, IsOpenedWhenItCanBe) {
  world_->faults.unreachable = true;
  const auto one = node();
  const auto asked = [&] {
    std::promise<bool> reached;
    one->post(Deadline::max(), [&](const Session& session) {
      reached.set_value(session.has_value());
      return session.has_value();
    });
    return reached.get_future().get();
  };
  EXPECT_FALSE(asked());
  EXPECT_EQ(one->session(), nullptr);
  EXPECT_TRUE(one->silent());
  world_->faults.unreachable = false;
  EXPECT_TRUE(eventually(asked));
  EXPECT_NE(one->session(), nullptr);
  EXPECT_FALSE(one->silent());
}

TEST_F(QuorumNodeTest, IsNotOpenedAgainBeforeTheClientsPauseIsOver) {
  world_->faults.unreachable = true;
  const auto one = node({.base = 1h});
  const auto reached = [&] {
    std::promise<bool> told;
    one->post(Deadline::max(), [&](const Session& session) {
      told.set_value(session.has_value());
      return session.has_value();
    });
    return told.get_future().get();
  };
  EXPECT_FALSE(reached());
  world_->faults.unreachable = false;
  EXPECT_FALSE(reached()) << "the node was tried again too early";
}

TEST_F(QuorumNodeTest, ADebtIsRepeatedWithTheClientsPauses) {
  std::atomic<int> tries{0};
  const auto hourly = node({.base = 1h});
  hourly->retry([&](const Session&) { return ++tries == 2; });
  EXPECT_TRUE(eventually([&] { return tries == 1; }));
  EXPECT_TRUE(test::throughout(100ms, [&] { return tries == 1; }));
}

}  // namespace
}  // namespace holdfast::quorum
