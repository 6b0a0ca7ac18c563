// SPDX-License-Identifier: Apache-2.0

#include "engines/redis/transport/requests.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <array>
#include <atomic>
#include <future>
#include <new>
#include <thread>
#include <vector>

#include "base/cork.h"
#include "engines/redis/transport/command.h"
#include "engines/redis/transport/pub_sub.h"
#include "engines/redis/transport/scripted_server.h"
#include "engines/redis/transport/socket.h"
#include "support/eventually.h"
#include "support/scale.h"

namespace holdfast::redis {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

engine::Deadline soon() { return Clock::now() + test::scaled(10s); }

std::string command(std::string_view word) {
  std::string out;
  Command(out, 1).add(word);
  return out;
}

TEST(RedisRequestsTest, NoServerThere) {
  Endpoint endpoint;
  {
    ScriptedServer server([](ScriptedConnection&) {});
    endpoint = server.endpoint();
  }
  Requests requests(endpoint, nullptr);
  const auto reply = requests.call(command("PING"), soon());
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, Errc::unavailable);
  EXPECT_EQ(reply.error().message(),
            "cannot reach Redis at " + endpoint.spelt() +
                ": Connection refused; check that it runs and can be reached");
}

TEST(RedisRequestsTest, AfterAFailureTheNextOneWaits) {
  ScriptedServer server([](ScriptedConnection& connection) {
    if (connection.hear("SETNAME")) connection.say("-LOADING wait\r\n");
  });
  Requests requests(server.endpoint(), nullptr);
  const auto start = Clock::now();
  for (int i = 0; i < 4; ++i) EXPECT_FALSE(requests.call(command("PING"), soon()));
  EXPECT_GE(Clock::now() - start, 5ms + 10ms + 20ms);  // half of 10, 20 and 40
  EXPECT_EQ(server.connections(), 4);

  const auto late = requests.call(command("PING"), Clock::now());
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, Errc::unavailable);
}

// Leads to this server, but for the first connection there is no memory.
Route route_without_memory(const ScriptedServer& server, std::atomic<int>& opened) {
  const Route to(server.endpoint());
  return {to.name, [to, &opened](engine::Deadline until) {
            if (opened++ == 0) throw std::bad_alloc();
            return to.open(until);
          }};
}

TEST(RedisRequestsTest, WithoutMemoryOnlyTheLeaderFails) {
  ScriptedServer server([](ScriptedConnection& connection) {
    connection.greet();
    while (connection.hear("GET")) connection.say("+OK\r\n");
  });
  constexpr std::size_t kCallers = Requests::kMostConnections + 1;
  std::atomic<int> opened{0};
  Requests requests(route_without_memory(server, opened), nullptr);
  std::atomic<int> failed{0};
  {
    std::vector<std::jthread> callers;
    for (std::size_t i = 0; i < kCallers; ++i) {
      callers.emplace_back([&] {
        const auto reply = requests.call(command("GET"), soon());
        if (reply) return;
        ++failed;
        EXPECT_EQ(reply.error().code, Errc::full);
        EXPECT_EQ(reply.error().message(), "no memory to ask Redis at " +
                                               server.endpoint().spelt() +
                                               ": free some and try again");
      });
    }
  }
  EXPECT_EQ(failed, 1);
  const auto next = requests.call(command("GET"), soon());
  EXPECT_TRUE(next) << next.error().message();
}

TEST(RedisRequestsTest, WithoutMemoryAPostingFailsAndTheNextDoesNot) {
  ScriptedServer server([](ScriptedConnection& connection) {
    connection.greet();
    while (connection.hear("GET")) connection.say("+OK\r\n");
  });
  struct Told final : Posting {
    void ended(const Result<void>& outcome) noexcept override {
      over.set_value(outcome ? std::error_code() : outcome.error().code);
    }
    std::promise<std::error_code> over;
  };
  Told first;
  Told next;
  std::atomic<int> opened{0};
  Requests requests(route_without_memory(server, opened), nullptr);
  for (Told* const each : {&first, &next}) {
    each->command = command("GET");
    ASSERT_TRUE(requests.post(*each, soon()));
    EXPECT_EQ(each->over.get_future().get(),
              each == &first ? make_error_code(Errc::full) : std::error_code());
  }
}

TEST(RedisRequestsTest, WithoutMemoryASubscriptionIsMadeLater) {
  struct IgnoringListener final : ChannelListener {
    void on_message(std::string_view) noexcept override {}
    void on_gap() noexcept override {}
  };
  ScriptedServer server([](ScriptedConnection& connection) {
    connection.greet();
    if (connection.hear("SUBSCRIBE")) {
      connection.say("*3\r\n$9\r\nsubscribe\r\n$1\r\na\r\n:1\r\n");
    }
    connection.linger();
  });
  std::atomic<int> opened{0};
  PubSub pub_sub(route_without_memory(server, opened));
  const auto subscribed =
      pub_sub.subscribe("a", std::make_shared<IgnoringListener>(), soon());
  EXPECT_TRUE(subscribed) << subscribed.error().message();
  EXPECT_EQ(opened, 2);
}

TEST(RedisRequestsTest, AReplicaIsLeftAndSoIsEveryConnectionToIt) {
  std::atomic<int> moves{0};
  ScriptedServer server([](ScriptedConnection& connection) {
    connection.greet();
    for (const bool old = connection.number() <= 2; connection.hear("GET");) {
      connection.say(old ? "-READONLY You can't write against a read only replica.\r\n"
                         : "+OK\r\n");
    }
  });
  Requests requests(server.endpoint(), nullptr, [&] { ++moves; });
  // Two callers at once have a connection each.
  std::array<std::string, 2> said;
  {
    std::vector<std::jthread> threads;
    for (std::string& each : said) {
      threads.emplace_back([&] {
        const auto reply = requests.call(command("GET"), soon());
        each = reply ? reply->view().text() : reply.error().message();
      });
    }
  }
  EXPECT_THAT(said, testing::Each(HasSubstr("replica")));
  const int before = server.connections();
  ASSERT_LE(before, 2);
  const auto reply = requests.call(command("GET"), soon());
  ASSERT_TRUE(reply) << reply.error().message();
  EXPECT_GT(server.connections(), before) << "it was asked again where it is read only";
  EXPECT_GE(moves, 1);
}

TEST(RedisRequestsTest, WithoutHopeNoCallerConnectsAgainForAWhile) {
  ScriptedServer server([](ScriptedConnection& connection) {
    if (connection.hear("SETNAME"))
      connection.say("-NOAUTH Authentication required.\r\n");
  });
  Requests requests(server.endpoint(), nullptr);
  for (int i = 0; i < 1000; ++i) {
    const auto reply = requests.call(command("PING"), soon());
    ASSERT_FALSE(reply);
    EXPECT_EQ(reply.error().code, Errc::denied);
  }
  EXPECT_LT(server.connections(), 1000);
}

TEST(RedisRequestsTest, WhatComesTooLateIsThrownAway) {
  ScriptedServer server([](ScriptedConnection& connection) {
    connection.greet();
    connection.hear("SLOW");
    connection.hear("NEXT");
    connection.say("+slow\r\n+next\r\n");
    connection.linger();
  });
  Requests requests(server.endpoint(), nullptr);
  const auto slow = requests.call(command("SLOW"), Clock::now() + 100ms);
  ASSERT_FALSE(slow);
  EXPECT_EQ(slow.error().code, Errc::outcome_unknown);
  const auto next = requests.call(command("NEXT"), soon());
  ASSERT_TRUE(next) << next.error().message();
  EXPECT_EQ(next->view().text(), "next");
  EXPECT_EQ(server.connections(), 1);
}

TEST(RedisRequestsTest, APassedDeadlineSendsAndDoesNotWait) {
  ScriptedServer server([](ScriptedConnection& connection) {
    connection.greet();
    connection.hear("FIRST");
    connection.hear("NEXT");
    connection.say("+first\r\n+next\r\n");
    connection.linger();
  });
  Requests requests(server.endpoint(), nullptr);
  const auto first = requests.call(command("FIRST"), engine::Deadline::min());
  ASSERT_FALSE(first);
  EXPECT_EQ(first.error().code, Errc::outcome_unknown);
  const auto next = requests.call(command("NEXT"), soon());
  ASSERT_TRUE(next) << next.error().message();
  EXPECT_EQ(next->view().text(), "next");
}

TEST(RedisRequestsTest, ASilentConnectionIsReplaced) {
  ScriptedServer server([](ScriptedConnection& connection) {
    connection.greet();
    if (connection.number() == 1) return connection.linger();
    while (connection.hear("ASK")) connection.say("+answer\r\n");
  });
  int reconnects = 0;
  Requests requests(server.endpoint(), [&] { ++reconnects; });
  const auto first = requests.call(command("ASK"), Clock::now() + 300ms);
  ASSERT_FALSE(first);
  EXPECT_EQ(first.error().code, Errc::outcome_unknown);
  const auto second = requests.call(command("ASK"), soon());
  ASSERT_TRUE(second) << second.error().message();
  EXPECT_EQ(second->view().text(), "answer");
  EXPECT_EQ(server.connections(), 2);
  EXPECT_EQ(reconnects, 1);
}

auto says_lost(const ScriptedServer& server) {
  return testing::AllOf(testing::StartsWith("the connection to Redis at " +
                                            server.endpoint().spelt() + " was lost ("),
                        testing::EndsWith("): check that it runs and can be reached"));
}

TEST(RedisRequestsTest, AnEndInsteadOfAnAnswerIsUnknown) {
  ScriptedServer server([](ScriptedConnection& connection) {
    connection.greet();
    connection.hear("ASK");
    connection.say("+half\r\n");
  });
  Requests requests(server.endpoint(), nullptr);
  std::array<Reply, 2> replies;
  const auto done = requests.call(command("ASK") + command("ASK"), replies, soon());
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, Errc::outcome_unknown);
  EXPECT_THAT(done.error().message(), says_lost(server));
  EXPECT_EQ(replies[0].view().text(), "half");
  EXPECT_FALSE(replies[1]);
}

TEST(RedisRequestsTest, AnAnswerThatWasNotAskedForEndsTheConnection) {
  ScriptedServer server([](ScriptedConnection& connection) {
    connection.greet();
    while (connection.hear("ASK")) {
      connection.say(connection.number() == 1 ? "+one\r\n+two\r\n" : "+fresh\r\n");
    }
  });
  Requests requests(server.endpoint(), nullptr);
  EXPECT_EQ(requests.call(command("ASK"), soon())->view().text(), "one");
  const auto next = requests.call(command("ASK"), soon());
  if (next) {
    EXPECT_EQ(next->view().text(), "fresh");
  } else {
    EXPECT_EQ(next.error().code, Errc::outcome_unknown);
  }
}

// A posting whose end a test waits for.
class AwaitedPosting final : public Posting {
 public:
  explicit AwaitedPosting(std::string_view word) { command = redis::command(word); }
  void ended(const Result<void>& outcome) noexcept override {
    told_.set_value(outcome);
  }
  Result<void> outcome() { return told_.get_future().get(); }

 private:
  std::promise<Result<void>> told_;
};

TEST(RedisRequestsTest, APostingIsAnsweredLater) {
  ScriptedServer server([](ScriptedConnection& connection) {
    connection.greet();
    while (connection.hear("ASK")) connection.say("+answer\r\n");
  });
  Requests requests(server.endpoint(), nullptr);
  for (int i = 0; i < 3; ++i) {
    AwaitedPosting posting("ASK");
    ASSERT_TRUE(requests.post(posting, soon()));
    const auto done = posting.outcome();
    ASSERT_TRUE(done) << done.error().message();
    EXPECT_EQ(posting.reply.view().text(), "answer");
  }
  EXPECT_EQ(server.connections(), 1);
}

// The server answers none before it has heard all of them.
TEST(RedisRequestsTest, PostingsAreAnsweredTogether) {
  ScriptedServer server([&](ScriptedConnection& connection) {
    connection.greet();
    connection.hear("FIRST");
    connection.hear("SECOND");
    connection.hear("THIRD");
    connection.say("+first\r\n+second\r\n+third\r\n");
    connection.linger();
  });
  Requests requests(server.endpoint(), nullptr);
  AwaitedPosting first("FIRST");
  AwaitedPosting second("SECOND");
  AwaitedPosting third("THIRD");
  {
    const base::Cork cork;
    ASSERT_TRUE(requests.post(first, soon()));
    ASSERT_TRUE(requests.post(second, soon()));
  }
  ASSERT_TRUE(requests.post(third, soon()));
  for (AwaitedPosting* each : {&first, &second, &third}) {
    const auto done = each->outcome();
    ASSERT_TRUE(done) << done.error().message();
  }
  EXPECT_EQ(first.reply.view().text(), "first");
  EXPECT_EQ(second.reply.view().text(), "second");
  EXPECT_EQ(third.reply.view().text(), "third");
}

// The second one has less time than the first; if it was sent, its reply is thrown
// away.
TEST(RedisRequestsTest, APostingIsToldOfItsDeadline) {
  std::promise<void> late;
  auto is_late = late.get_future().share();
  ScriptedServer server([&](ScriptedConnection& connection) {
    connection.greet();
    connection.hear("FIRST");
    is_late.wait();
    connection.say("+first\r\n");
    while (connection.hear("NE")) connection.say("+next\r\n");
  });
  Requests requests(server.endpoint(), nullptr);
  AwaitedPosting first("FIRST");
  AwaitedPosting second("NEVER");
  ASSERT_TRUE(requests.post(first, soon()));
  ASSERT_TRUE(requests.post(second, Clock::now() + 50ms));
  const auto given_up = second.outcome();
  ASSERT_FALSE(given_up);
  EXPECT_TRUE(given_up.error().code == Errc::unavailable ||
              given_up.error().code == Errc::outcome_unknown);
  late.set_value();
  EXPECT_TRUE(first.outcome());
  AwaitedPosting next("NEXT");
  ASSERT_TRUE(requests.post(next, soon()));
  const auto done = next.outcome();
  ASSERT_TRUE(done) << done.error().message();
  EXPECT_EQ(next.reply.view().text(), "next");
}

TEST(RedisRequestsTest, ASilentConnectionOfPostingsIsReplaced) {
  ScriptedServer server([](ScriptedConnection& connection) {
    connection.greet();
    if (connection.number() == 1) return connection.linger();
    while (connection.hear("ASK")) connection.say("+answer\r\n");
  });
  Requests requests(server.endpoint(), nullptr);
  AwaitedPosting lost("ASK");
  ASSERT_TRUE(requests.post(lost, Clock::now() + 300ms));
  const auto given_up = lost.outcome();
  ASSERT_FALSE(given_up);
  EXPECT_EQ(given_up.error().code, Errc::outcome_unknown);
  AwaitedPosting next("ASK");
  ASSERT_TRUE(requests.post(next, soon()));
  EXPECT_TRUE(next.outcome());
  EXPECT_EQ(server.connections(), 2);
}

TEST(RedisRequestsTest, PostingsEndWithAConnectionThatBreaks) {
  ScriptedServer server([](ScriptedConnection& connection) {
    connection.greet();
    connection.hear("FIRST");
  });
  Requests requests(server.endpoint(), nullptr);
  AwaitedPosting first("FIRST");
  ASSERT_TRUE(requests.post(first, soon()));
  const auto broken = first.outcome();
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().code, Errc::outcome_unknown);
  EXPECT_THAT(broken.error().message(), says_lost(server));
}

TEST(RedisRequestsTest, PostingsEndWithTheRequests) {
  ScriptedServer server([](ScriptedConnection& connection) {
    connection.greet();
    connection.linger();
  });
  AwaitedPosting posting("ASK");
  {
    Requests requests(server.endpoint(), nullptr);
    ASSERT_TRUE(requests.post(posting, soon()));
  }
  EXPECT_FALSE(posting.outcome());
}

TEST(RedisRequestsTest, ACorkMayOutliveTheRequests) {
  ScriptedServer server([](ScriptedConnection& connection) {
    connection.greet();
    connection.linger();
  });
  AwaitedPosting posting("ASK");
  {
    const base::Cork cork;
    Requests requests(server.endpoint(), nullptr);
    ASSERT_TRUE(requests.post(posting, soon()));
  }
  EXPECT_FALSE(posting.outcome());
}

TEST(RedisRequestsTest, ManyCallersShareAFewConnections) {
  ScriptedServer server([](ScriptedConnection& connection) {
    connection.greet();
    while (connection.hear("ECHO\r\n$3\r\n")) {
      if (!connection.hear("\r\n")) return;
      connection.say("+here\r\n");
    }
  });
  Requests requests(server.endpoint(), nullptr);
  constexpr int kCallers = 24;
  std::vector<std::thread> threads;
  threads.reserve(kCallers);
  std::atomic<int> answered{0};
  for (int i = 0; i < kCallers; ++i) {
    threads.emplace_back([&] {
      std::string out;
      Command(out, 2).add("ECHO").add("abc");
      for (int n = 0; n < 100; ++n) {
        const auto reply = requests.call(out, soon());
        if (reply && reply->view().text() == "here") ++answered;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(answered.load(), 100 * kCallers);
  EXPECT_LE(server.connections(), static_cast<int>(Requests::kMostConnections));
}

TEST(RedisRequestsTest, ALargeBatchGoesThrough) {
  ScriptedServer server([](ScriptedConnection& connection) {
    connection.greet();
    for (int i = 0; i < 20; ++i) {
      connection.hear("PUT");
      connection.hear("END");
      connection.say(":" + std::to_string(i) + "\r\n");
    }
    connection.linger();
  });
  Requests requests(server.endpoint(), nullptr);
  std::string out;
  for (int i = 0; i < 20; ++i) {
    Command(out, 3).add("PUT").add(std::string(200'000, 'x')).add("END");
  }
  std::array<Reply, 20> replies;
  const auto done = requests.call(out, replies, soon());
  ASSERT_TRUE(done) << done.error().message();
  EXPECT_EQ(replies[19].view().number(), 19);
}

TEST(RedisRequestsTest, WhatWasSentIsTakenLater) {
  std::promise<void> may_answer;
  ScriptedServer server([&](ScriptedConnection& connection) {
    connection.greet();
    connection.hear("FIRST");
    connection.say("+first\r\n");
    connection.hear("SENT");
    may_answer.get_future().wait();
    connection.say("+sent\r\n");
    connection.linger();
  });
  Requests requests(server.endpoint(), nullptr);
  EXPECT_EQ(requests.send(command("SENT")), nullptr) << "there is no connection yet";
  ASSERT_TRUE(requests.call(command("FIRST"), soon()));
  const auto sent = requests.send(command("SENT"));
  ASSERT_NE(sent, nullptr);
  EXPECT_FALSE(sent->is_ready());
  may_answer.set_value();
  EXPECT_TRUE(poll_until(sent->fd(), POLLIN, soon()));
  EXPECT_TRUE(test::eventually([&] { return sent->is_ready(); }));
  const auto reply = sent->take(engine::Deadline::min());
  ASSERT_TRUE(reply) << reply.error().message();
  EXPECT_EQ(reply->view().text(), "sent");
}

TEST(RedisRequestsTest, WhatWasSentIsWaitedForUntilTheDeadline) {
  ScriptedServer server([](ScriptedConnection& connection) {
    connection.greet();
    if (connection.hear("FIRST")) connection.say("+first\r\n");
    connection.linger();
  });
  Requests requests(server.endpoint(), nullptr);
  ASSERT_TRUE(requests.call(command("FIRST"), soon()));
  const auto sent = requests.send(command("SENT"));
  ASSERT_NE(sent, nullptr);
  const auto reply = sent->take(Clock::now() + 10ms);
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, Errc::outcome_unknown);
}

TEST(RedisRequestsTest, WhatWasSentAndIsNotTakenIsDiscarded) {
  ScriptedServer server([](ScriptedConnection& connection) {
    connection.greet();
    if (connection.hear("FIRST")) connection.say("+first\r\n");
    connection.hear("SENT");
    connection.hear("NEXT");
    connection.say("+sent\r\n+next\r\n");
    connection.linger();
  });
  Requests requests(server.endpoint(), nullptr);
  ASSERT_TRUE(requests.call(command("FIRST"), soon()));
  EXPECT_NE(requests.send(command("SENT")), nullptr);
  const auto next = requests.call(command("NEXT"), soon());
  ASSERT_TRUE(next) << next.error().message();
  EXPECT_EQ(next->view().text(), "next");
  EXPECT_EQ(server.connections(), 1);
}

TEST(RedisRequestsTest, WhatWasSentIsLostWithItsConnection) {
  ScriptedServer server([](ScriptedConnection& connection) {
    connection.greet();
    if (connection.hear("FIRST")) connection.say("+first\r\n");
    connection.hear("SENT");
  });
  Requests requests(server.endpoint(), nullptr);
  ASSERT_TRUE(requests.call(command("FIRST"), soon()));
  const auto sent = requests.send(command("SENT"));
  ASSERT_NE(sent, nullptr);
  EXPECT_TRUE(test::eventually([&] { return sent->is_ready(); }));
  const auto reply = sent->take(soon());
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, Errc::outcome_unknown);
}

// The server takes one connection only, so the callers share it with what was sent.
TEST(RedisRequestsTest, WhatWasSentHoldsUpNoOtherCaller) {
  ScriptedServer server([](ScriptedConnection& connection) {
    if (connection.number() > 1) return;
    connection.greet();
    if (connection.hear("FIRST")) connection.say("+first\r\n");
    connection.hear("SENT");
    connection.hear("CALL");
    connection.hear("CALL");
    connection.say("+sent\r\n+called\r\n+called\r\n");
    connection.linger();
  });
  Requests requests(server.endpoint(), nullptr);
  ASSERT_TRUE(requests.call(command("FIRST"), soon()));
  const auto sent = requests.send(command("SENT"));
  ASSERT_NE(sent, nullptr);
  std::array<std::string, 2> said;
  {
    std::vector<std::jthread> threads;
    for (std::string& each : said) {
      threads.emplace_back([&] {
        const auto reply = requests.call(command("CALL"), soon());
        each = reply ? reply->view().text() : reply.error().message();
      });
    }
  }
  EXPECT_THAT(said, testing::Each("called"));
  EXPECT_TRUE(sent->is_ready()) << "the other callers have read its reply";
  const auto reply = sent->take(soon());
  ASSERT_TRUE(reply) << reply.error().message();
  EXPECT_EQ(reply->view().text(), "sent");
}

}  // namespace
}  // namespace holdfast::redis
