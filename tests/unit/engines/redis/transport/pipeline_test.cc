// SPDX-License-Identifier: Apache-2.0

#include "engines/redis/transport/pipeline.h"

#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <string>

namespace holdfast::redis {
namespace {

Reply reply_of(int number) {
  ReplyReader reader;
  EXPECT_TRUE(reader.feed(":" + std::to_string(number) + "\r\n"));
  return **reader.next();
}

// Returns what is sent next.
std::string unsent(Pipeline& pipeline) {
  std::string bytes;
  for (const std::string_view each : pipeline.unsent()) bytes += each;
  return bytes;
}

// Sends all that is unsent, and gives it back.
std::string send_all(Pipeline& pipeline) {
  std::string all;
  while (!pipeline.all_sent()) {
    const auto bytes = unsent(pipeline);
    all += bytes;
    pipeline.sent(bytes.size(), 0);
  }
  return all;
}

// Two commands each.
struct Caller {
  explicit Caller(std::string_view commands)
      : request{.unsent = commands, .replies = replies} {}
  std::array<Reply, 2> replies;
  Request request;

  std::int64_t first() const { return replies[0].view().number(); }
  std::int64_t second() const { return replies[1].view().number(); }
};

class RedisPipelineTest : public testing::Test {
 protected:
  void accept(int from, int to) {
    for (int number = from; number <= to; ++number) {
      Reply reply = reply_of(number);
      EXPECT_TRUE(pipeline_.accept(reply));
    }
  }
  Pipeline pipeline_;
  Caller a_{"aa"};
  Caller b_{"bb"};
  Caller c_{"cc"};
};

using End = Request::End;

TEST_F(RedisPipelineTest, AnswersInOrder) {
  pipeline_.append(a_.request);
  pipeline_.append(b_.request);
  EXPECT_EQ(send_all(pipeline_), "aabb");
  accept(1, 3);
  EXPECT_EQ(a_.request.end, End::answered);
  EXPECT_EQ(a_.first(), 1);
  EXPECT_EQ(a_.second(), 2);
  EXPECT_FALSE(b_.request.end);
  accept(4, 4);
  EXPECT_EQ(b_.second(), 4);
  EXPECT_TRUE(pipeline_.idle());
}

TEST_F(RedisPipelineTest, RepliesOfCallersThatLeftAreThrownAway) {
  for (Caller* caller : {&a_, &b_, &c_}) pipeline_.append(caller->request);
  send_all(pipeline_);
  accept(1, 1);
  pipeline_.abandon(b_.request);
  pipeline_.abandon(a_.request);
  EXPECT_EQ(a_.request.end, End::lost);
  accept(2, 6);  // one of a, two of b, two of c
  EXPECT_EQ(c_.request.end, End::answered);
  EXPECT_EQ(c_.first(), 5);
  EXPECT_EQ(c_.second(), 6);
  EXPECT_TRUE(pipeline_.idle());
}

TEST_F(RedisPipelineTest, OrphansAfterTheLastRequestBelongToNoCaller) {
  pipeline_.append(a_.request);
  pipeline_.append(b_.request);
  send_all(pipeline_);
  pipeline_.abandon(b_.request);
  accept(1, 2);
  EXPECT_FALSE(pipeline_.idle());
  pipeline_.append(c_.request);
  send_all(pipeline_);
  accept(3, 6);
  EXPECT_EQ(c_.first(), 5);
  EXPECT_TRUE(pipeline_.idle());
}

TEST_F(RedisPipelineTest, WhatWasBegunIsSentToTheEnd) {
  pipeline_.append(a_.request);
  pipeline_.append(b_.request);
  pipeline_.sent(1, 0);
  pipeline_.abandon(a_.request);
  EXPECT_EQ(a_.request.end, End::lost);
  EXPECT_EQ(send_all(pipeline_), "abb");
  accept(1, 4);
  EXPECT_EQ(b_.first(), 3);
}

TEST_F(RedisPipelineTest, WhatWasNotBegunIsNotSent) {
  for (Caller* caller : {&a_, &b_, &c_}) pipeline_.append(caller->request);
  pipeline_.abandon(b_.request);
  EXPECT_EQ(b_.request.end, End::unsent);
  EXPECT_EQ(send_all(pipeline_), "aacc");
  accept(1, 4);
  EXPECT_EQ(c_.first(), 3);
}

TEST_F(RedisPipelineTest, OneWriteSendsPartsOfSeveral) {
  for (Caller* caller : {&a_, &b_, &c_}) pipeline_.append(caller->request);
  EXPECT_EQ(unsent(pipeline_), "aabbcc");
  pipeline_.sent(3, 7);
  EXPECT_TRUE(b_.request.sent);
  EXPECT_EQ(b_.request.reads_before, 7u);
  EXPECT_FALSE(c_.request.sent);
  pipeline_.abandon(b_.request);
  EXPECT_EQ(unsent(pipeline_), "bcc");
  pipeline_.sent(2, 8);
  EXPECT_EQ(c_.request.reads_before, 8u);
  EXPECT_EQ(send_all(pipeline_), "c");
  accept(1, 6);
  EXPECT_EQ(c_.first(), 5);
}

TEST_F(RedisPipelineTest, MoreThanFitsIntoOneWriteIsSentToTheEnd) {
  std::deque<Caller> callers;
  std::string all;
  for (int i = 0; i < 200; ++i) {
    pipeline_.append(callers.emplace_back("xyz").request);
    all += "xyz";
  }
  EXPECT_LT(unsent(pipeline_).size(), all.size());
  EXPECT_EQ(send_all(pipeline_), all);
  accept(1, 400);
  EXPECT_EQ(callers.back().second(), 400);
}

TEST_F(RedisPipelineTest, ABreakLosesWhatWasSentAndKeepsTheRest) {
  for (Caller* caller : {&a_, &b_, &c_}) pipeline_.append(caller->request);
  pipeline_.sent(2, 0);
  pipeline_.sent(1, 0);
  pipeline_.break_off(Failure(Errc::outcome_unknown, "cut"));
  EXPECT_EQ(a_.request.end, End::lost);
  EXPECT_EQ(b_.request.end, End::lost);
  ASSERT_TRUE(b_.request.why);
  EXPECT_EQ(b_.request.why->context, "cut");
  EXPECT_FALSE(c_.request.end);
  EXPECT_EQ(send_all(pipeline_), "cc");
  accept(1, 2);
  EXPECT_EQ(c_.first(), 1);
}

TEST_F(RedisPipelineTest, ABreakForgetsOrphans) {
  pipeline_.append(a_.request);
  pipeline_.sent(1, 0);
  pipeline_.abandon(a_.request);
  pipeline_.break_off(Failure(Errc::outcome_unknown));
  EXPECT_TRUE(pipeline_.idle());
  EXPECT_TRUE(pipeline_.all_sent());
}

TEST_F(RedisPipelineTest, AnAnswerThatWasNotAskedForIsRefused) {
  Reply reply = reply_of(1);
  EXPECT_FALSE(pipeline_.accept(reply));
  pipeline_.append(a_.request);
  EXPECT_FALSE(pipeline_.accept(reply));
}

TEST_F(RedisPipelineTest, ARefusedRequestSaysWhy) {
  pipeline_.append(a_.request);
  pipeline_.refuse(a_.request, Failure(Errc::unavailable, "no server there"));
  EXPECT_EQ(a_.request.end, End::unsent);
  EXPECT_EQ(a_.request.why->context, "no server there");
  EXPECT_TRUE(pipeline_.idle());
}

}  // namespace
}  // namespace holdfast::redis
