// SPDX-License-Identifier: Apache-2.0

#include "engines/quorum/transport/node.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <new>
#include <optional>
#include <thread>
#include <utility>
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

TEST_F(QuorumNodeTest, SurvivesAJobForWhichThereIsNoMemory) {
  const auto one = node();
  one->post(Deadline::max(), [](const Session&) -> bool { throw std::bad_alloc(); });
  std::atomic<int> tries{0};
  one->retry([&](const Session&) {
    if (++tries < 3) throw std::bad_alloc();
    return true;
  });
  EXPECT_TRUE(eventually([&] { return tries == 3 && !one->is_retrying(); }));
  std::promise<bool> asked;
  one->post(Deadline::max(), [&](const Session& session) {
    asked.set_value(session.has_value());
    return true;
  });
  EXPECT_TRUE(asked.get_future().get());
}

TEST_F(QuorumNodeTest, TellsThatThereIsNoMemoryForASession) {
  struct NoMemory final : engine::Engine {
    std::string_view scheme() const noexcept override { return "none"; }
    Result<std::unique_ptr<engine::Session>> open(
        const engine::SessionOptions&) override {
      throw std::bad_alloc();
    }
  };
  Node one(std::make_shared<NoMemory>(), {});
  std::promise<std::optional<Failure>> told;
  one.post(Deadline::max(), [&](const Session& session) {
    told.set_value(session ? std::nullopt : std::optional(session.error()));
    return false;
  });
  const auto why = told.get_future().get();
  ASSERT_TRUE(why);
  EXPECT_EQ(why->code, Errc::full);
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

// A call whose answer comes when the test says so.
class HeldBack final : public Node::Sent {
 public:
  struct State {
    std::atomic<bool> ready{false};
    std::promise<std::thread::id> finished;
  };
  explicit HeldBack(std::shared_ptr<State> state) : state_(std::move(state)) {}
  int fd() const noexcept override { return -1; }
  bool is_ready() override { return state_->ready; }
  bool is_queued() const noexcept override { return false; }
  bool finish() override {
    state_->finished.set_value(std::this_thread::get_id());
    return true;
  }

 private:
  const std::shared_ptr<State> state_;
};

class QuorumTurnTest : public QuorumNodeTest {
 protected:
  QuorumTurnTest() { run_a_job(); }

  void run_a_job() {
    std::promise<void> done;
    one_->post(Deadline::max(), [&](const Session&) {
      done.set_value();
      return true;
    });
    done.get_future().get();
  }

  // The node's thread gives its turn back shortly after its last job.
  Node::Turn turn() {
    std::optional<Node::Turn> turn;
    EXPECT_TRUE(eventually([&] { return (turn = one_->enter()).has_value(); }));
    return *std::move(turn);
  }

  const std::unique_ptr<Node> one_ = node();
  const std::shared_ptr<HeldBack::State> state_ = std::make_shared<HeldBack::State>();
};

TEST_F(QuorumTurnTest, BelongsToOneThreadAtATime) {
  EXPECT_NE(turn().session, nullptr);
  EXPECT_FALSE(one_->enter());
  std::atomic<bool> ran{false};
  one_->post(Deadline::max(), [&](const Session&) { return ran = true; });
  EXPECT_TRUE(test::throughout(20ms, [&] { return !ran; }));
  one_->leave();
  EXPECT_TRUE(eventually([&] { return ran.load(); }));
  EXPECT_EQ(turn().late, nullptr);
  one_->leave();
}

TEST_F(QuorumTurnTest, IsNotGivenWhileTheNodeIsSilentOrRetries) {
  one_->post(Deadline::max(), [](const Session&) { return false; });
  EXPECT_TRUE(eventually([&] { return one_->silent(); }));
  EXPECT_FALSE(one_->enter());
  run_a_job();
  (void)turn();
  one_->retry([](const Session&) { return false; });
  one_->leave();
  EXPECT_FALSE(one_->enter());
}

TEST_F(QuorumTurnTest, ComesWithWhatIsLate) {
  (void)turn();
  one_->leave(std::make_unique<HeldBack>(state_), Clock::now() + 1h);
  const auto next = one_->enter();
  ASSERT_TRUE(next);
  EXPECT_NE(next->late, nullptr);
  one_->leave();
}

TEST_F(QuorumTurnTest, OfWhatIsDueIsThatOfTheNodesThread) {
  (void)turn();
  one_->leave(std::make_unique<HeldBack>(state_), Clock::now() + 5ms);
  auto finished = state_->finished.get_future();
  ASSERT_EQ(finished.wait_for(test::patience()), std::future_status::ready);
  EXPECT_NE(finished.get(), std::this_thread::get_id());
}

TEST_F(QuorumTurnTest, OfAJobComesAfterWhatIsLate) {
  (void)turn();
  auto finished = state_->finished.get_future();
  one_->leave(std::make_unique<HeldBack>(state_), Clock::now() + 1h);
  run_a_job();
  EXPECT_EQ(finished.wait_for(0s), std::future_status::ready);
}

TEST_F(QuorumTurnTest, IsTakenOnceMoreBeforeTheNodeEnds) {
  std::future<std::thread::id> finished = state_->finished.get_future();
  {
    const auto other = node();
    std::promise<void> opened;
    other->post(Deadline::max(), [&](const Session&) {
      opened.set_value();
      return true;
    });
    opened.get_future().get();
    ASSERT_TRUE(eventually([&] { return other->enter().has_value(); }));
    other->leave(std::make_unique<HeldBack>(state_), Clock::now() + 1h);
  }
  EXPECT_EQ(finished.wait_for(0s), std::future_status::ready);
}

}  // namespace
}  // namespace holdfast::quorum
