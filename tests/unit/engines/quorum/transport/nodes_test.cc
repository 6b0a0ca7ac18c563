// SPDX-License-Identifier: Apache-2.0

#include "engines/quorum/transport/nodes.h"

#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
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
using test::eventually;
using test::FakeEngine;

// What the test lets a node do. Its answers are counted by a descriptor.
class AnswersOfNode {
 public:
  AnswersOfNode() : fd_(eventfd(0, EFD_SEMAPHORE | EFD_NONBLOCK)) {}
  ~AnswersOfNode() { close(fd_); }
  AnswersOfNode(const AnswersOfNode&) = delete;
  AnswersOfNode& operator=(const AnswersOfNode&) = delete;

  int fd() const noexcept { return fd_; }
  void allow(std::uint64_t answers) { (void)!write(fd_, &answers, sizeof answers); }
  bool next() {
    std::uint64_t one = 0;
    return read(fd_, &one, sizeof one) == sizeof one;
  }

  std::atomic<int> sent{0};
  std::atomic<int> taken_by_caller{0};
  std::atomic<int> taken_by_thread{0};
  std::atomic<int> asked_by_thread{0};

 private:
  const int fd_;
};

class AllowedCall final : public engine::SentCall<int> {
 public:
  AllowedCall(AnswersOfNode& node, std::thread::id caller)
      : node_(node), caller_(caller) {}
  int fd() const noexcept override { return node_.fd(); }
  bool is_ready() override { return ready_ = ready_ || node_.next(); }
  Result<int> take(engine::Deadline until) override {
    const bool by_caller = std::this_thread::get_id() == caller_;
    ++(by_caller ? node_.taken_by_caller : node_.taken_by_thread);
    while (!is_ready() && Clock::now() < until) std::this_thread::sleep_for(1ms);
    if (!ready_) return Failure(Errc::outcome_unknown, "there was no answer");
    return 1;
  }

 private:
  AnswersOfNode& node_;
  const std::thread::id caller_;
  bool ready_ = false;
};

class QuorumNodesTest : public testing::Test {
 protected:
  static constexpr std::size_t kNodes = 3;

  QuorumNodesTest() {
    std::vector<std::shared_ptr<engine::Engine>> engines;
    for (std::size_t i = 0; i < kNodes; ++i) {
      engines.push_back(std::make_shared<FakeEngine>(FakeEngine::world()));
    }
    nodes_.emplace(engines, engine::SessionOptions{});
    Question<int> open{.ask = [](std::size_t, engine::Session&) { return 1; }};
    const auto soon = Clock::now() + test::patience();
    EXPECT_EQ(nodes_->decide(open, soon, soon, of_inquiry).outcome, Outcome::yes);
    EXPECT_TRUE(eventually([&] { return all_idle(); }));
  }

  // What was sent is answered, so that the nodes end at once.
  ~QuorumNodesTest() override {
    for (AnswersOfNode& each : answers_) each.allow(100);
  }

  bool all_idle() {
    for (std::size_t i = 0; i < kNodes; ++i) {
      auto turn = (*nodes_)[i].enter();
      if (!turn) return false;
      (*nodes_)[i].leave(std::move(turn->late), Clock::now() + 1h);
    }
    return true;
  }

  Outcome ask(std::chrono::nanoseconds answer_time = test::patience()) {
    const auto caller = std::this_thread::get_id();
    Question<int> question{.ask =
                               [this](std::size_t node, engine::Session&) {
                                 ++answers_[node].asked_by_thread;
                                 return 1;
                               },
                           .send =
                               [this, caller](std::size_t node, engine::Session&) {
                                 ++answers_[node].sent;
                                 return std::make_unique<AllowedCall>(answers_[node],
                                                                      caller);
                               }};
    const auto until = Clock::now() + answer_time;
    return nodes_->decide(question, until, until, of_attempt).outcome;
  }

  std::array<AnswersOfNode, kNodes> answers_;
  std::optional<Nodes> nodes_;
};

TEST_F(QuorumNodesTest, ThatAnswerAtOnceNeedNoThread) {
  for (AnswersOfNode& each : answers_) each.allow(100);
  for (int i = 0; i < 100; ++i) ASSERT_EQ(ask(), Outcome::yes);
  int sent = 0;
  int by_thread = 0;
  for (AnswersOfNode& each : answers_) {
    sent += each.sent;
    by_thread += each.taken_by_thread + each.asked_by_thread;
  }
  EXPECT_EQ(sent + by_thread, 300) << "each node is asked once for each question";
  EXPECT_LT(by_thread, 100);
}

TEST_F(QuorumNodesTest, AreNotWaitedForOnceAMajorityHasAnswered) {
  answers_[0].allow(1);
  answers_[2].allow(1);
  EXPECT_EQ(ask(), Outcome::yes);
  EXPECT_EQ(answers_[1].sent, 1);
  EXPECT_EQ(answers_[1].taken_by_caller, 0);
  answers_[1].allow(1);
  EXPECT_TRUE(eventually([&] { return answers_[1].taken_by_thread == 1; }))
      << "the node's thread did not take the late answer";
}

TEST_F(QuorumNodesTest, AreSentNothingBehindACallThatIsNotAnswered) {
  answers_[0].allow(2);
  answers_[2].allow(2);
  EXPECT_EQ(ask(), Outcome::yes);
  EXPECT_EQ(ask(), Outcome::yes);
  EXPECT_EQ(answers_[1].sent, 1);
  EXPECT_EQ(answers_[1].asked_by_thread, 0);
  answers_[1].allow(1);
  EXPECT_TRUE(eventually([&] { return answers_[1].asked_by_thread == 1; }))
      << "the second question was not asked after the first was answered";
}

// The caller waits for the third node's answer to the first question, and then asks it
// the second one.
TEST_F(QuorumNodesTest, AreSentTheNextCallWhenTheyAnswerLate) {
  answers_[0].allow(1);
  answers_[2].allow(1);
  EXPECT_EQ(ask(), Outcome::yes);
  answers_[1].allow(2);
  answers_[2].allow(1);
  EXPECT_EQ(ask(), Outcome::yes) << "the first node does not answer any more";
  EXPECT_EQ(answers_[1].sent + answers_[1].asked_by_thread, 2);
}

TEST_F(QuorumNodesTest, ThatDoNotAnswerInTimeAreLeftToTheirThreads) {
  answers_[0].allow(1);
  EXPECT_EQ(ask(100ms), Outcome::unknown);
  EXPECT_TRUE(
      eventually([&] { return (*nodes_)[1].silent() && (*nodes_)[2].silent(); }));
  EXPECT_EQ(answers_[1].taken_by_thread, 1);
  EXPECT_EQ(answers_[2].taken_by_thread, 1);
  answers_[0].allow(1);
  EXPECT_EQ(ask(), Outcome::yes);
  EXPECT_TRUE(eventually([&] {
    return answers_[1].asked_by_thread + answers_[2].asked_by_thread == 2;
  })) << "a silent node is asked by its thread";
}

// A question to one node throws, wherever it is asked from.
TEST_F(QuorumNodesTest, ThatThrowHaveNotAnswered) {
  enum class At { ask, send, is_ready, take };
  class ThrowingCall final : public engine::SentCall<int> {
   public:
    ThrowingCall(At at, int fd) : at_(at), fd_(fd) {}
    int fd() const noexcept override { return fd_; }
    bool is_ready() override {
      if (at_ == At::is_ready) throw std::bad_alloc();
      return true;
    }
    Result<int> take(engine::Deadline) override { throw std::bad_alloc(); }

   private:
    const At at_;
    const int fd_;
  };
  for (AnswersOfNode& each : answers_) each.allow(100);
  for (const At at : {At::ask, At::send, At::is_ready, At::take}) {
    Question<int> question{
        .ask = [](std::size_t node, engine::Session&) -> Result<int> {
          if (node == 1) throw std::bad_alloc();
          return 1;
        }};
    if (at != At::ask) {
      question.send = [&](std::size_t node,
                          engine::Session&) -> std::unique_ptr<engine::SentCall<int>> {
        if (node != 1) return nullptr;
        if (at == At::send) throw std::bad_alloc();
        return std::make_unique<ThrowingCall>(at, answers_[node].fd());
      };
    }
    const auto until = Clock::now() + test::patience();
    const auto all =
        nodes_->ask(question, until, until, [](const Answers<int>& so_far) {
          return std::ranges::all_of(so_far,
                                     [](const auto& each) { return each.has_value(); });
        });
    EXPECT_TRUE(all[0]->has_value());
    ASSERT_FALSE(all[1]->has_value());
    EXPECT_EQ(all[1]->error().code, Errc::outcome_unknown);
    EXPECT_TRUE(all[2]->has_value());
    EXPECT_TRUE(eventually([&] { return ask() == Outcome::yes; })) << "they work again";
    EXPECT_TRUE(eventually([&] { return !(*nodes_)[1].silent() && all_idle(); }));
  }
}

// There is no memory to ask a node again. The caller has the turn.
TEST_F(QuorumNodesTest, ThatCannotBeAskedAgainAreLeft) {
  class UnansweredCall final : public engine::SentCall<int> {
   public:
    explicit UnansweredCall(int fd) : fd_(fd) {}
    int fd() const noexcept override { return fd_; }
    bool is_ready() override { return true; }
    Result<int> take(engine::Deadline) override { return Errc::outcome_unknown; }

   private:
    const int fd_;
  };
  for (AnswersOfNode& each : answers_) each.allow(100);
  const Question<int> question{
      .ask = [](std::size_t, engine::Session&) { return 1; },
      .send =
          [&](std::size_t node, engine::Session&) {
            return std::make_unique<UnansweredCall>(answers_[node].fd());
          },
      .needs_retry = [](std::size_t) -> bool { throw std::bad_alloc(); }};
  const auto until = Clock::now() + test::patience();
  const auto all = nodes_->ask(question, until, until, [](const Answers<int>& so_far) {
    return std::ranges::all_of(so_far,
                               [](const auto& each) { return each.has_value(); });
  });
  for (const auto& each : all) EXPECT_EQ(each->error().code, Errc::outcome_unknown);
  EXPECT_TRUE(eventually([&] { return ask() == Outcome::yes; })) << "they work again";
}

TEST_F(QuorumNodesTest, SayWhatToDoWhereNoneSaysWhy) {
  EXPECT_EQ(nodes_->explain(Answers<int>(kNodes)).context,
            "fewer than 2 of the 3 nodes of the quorum answered: check that they run "
            "and can be reached");
}

}  // namespace
}  // namespace holdfast::quorum
