// SPDX-License-Identifier: Apache-2.0

#include "engines/kit/register_loop.h"

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <limits>
#include <map>

namespace holdfast::kit {
namespace {

using engine::Deadline;
using engine::Exchanged;
using engine::Ticket;
using engine::Value;
using namespace std::chrono_literals;

constexpr auto kMost = std::numeric_limits<std::int64_t>::max();

// A server with one register, and receipts by their number.
struct Server {
  std::optional<std::int64_t> number = {};
  std::uint64_t version = 0;
  struct Record {
    Ticket ticket = Ticket::none;
    Value value = {};
  };
  std::map<std::uint64_t, Record> records = {};

  Value value() const { return number ? Value{*number, version} : Value{}; }
  void set(std::optional<std::int64_t> to) {
    number = to;
    ++version;
  }
};

// What a request is answered with: as it should be; after it was applied, with nothing;
// with nothing, to be applied by `arrive()`; or it could not be sent.
enum class Reply { good, lost, late, unsent };

class FakeStore {
 public:
  using Seen = Value;
  using Receipt = ChangeReceipt;

  explicit FakeStore(Server& server) : server_(server) {}

  ReceiptPool<Receipt>& receipts() { return receipts_; }
  std::optional<Seen> cached() const { return cached_; }

  Result<Seen> read(Deadline) {
    ++reads;
    if (before_read) before_read();
    cached_ = server_.value();
    return *cached_;
  }

  Result<Written<Seen>> write(const Seen& seen, std::optional<std::int64_t> to,
                              Receipt* receipt, Deadline) {
    ++writes;
    if (before_write) before_write();
    const Reply reply = replies.empty() ? Reply::good : replies.front();
    if (!replies.empty()) replies.pop_front();
    const std::optional<std::uint64_t> record =
        receipt ? std::optional(receipt->number) : std::nullopt;
    const Ticket ticket = receipt ? receipt->ticket : Ticket::none;
    const auto apply = [this, seen, to, record, ticket] {
      return applied(seen, to, record, ticket);
    };
    if (reply == Reply::unsent) return Failure(Errc::unavailable, "no connection");
    if (receipt) receipt->in_doubt = true;
    if (reply == Reply::late) on_their_way_.push_back(apply);
    const bool made = reply != Reply::late && apply();
    if (reply != Reply::good) return Failure(Errc::outcome_unknown, "no reply");
    if (receipt) receipt->in_doubt = false;
    if (!made) return Written<Seen>{false, refusals_tell ? now() : std::nullopt};
    cached_ = server_.value();
    return Written<Seen>{true, cached_};
  }

  Result<void> look_up(Receipt& receipt, Deadline) {
    ++look_ups;
    if (before_look_up) before_look_up();
    receipt.in_doubt = false;
    if (fifo_requests) receipt.may_arrive = false;
    const auto found = server_.records.find(receipt.number);
    if (found == server_.records.end() || found->second.ticket != receipt.ticket) {
      return {};
    }
    receipt.known = Exchanged{true, found->second.value};
    return {};
  }

  Value value_of(const Seen& seen) const { return seen; }
  bool fits(const Seen&, std::int64_t number) const { return number <= largest; }
  bool is_latch() const { return latch; }
  std::string subject() const { return "\"stock\""; }

  // What was sent earlier is applied now.
  void arrive() {
    for (const auto& each : std::exchange(on_their_way_, {})) (void)each();
  }
  void forget() { cached_.reset(); }

  std::deque<Reply> replies = {};
  std::function<void()> before_read = {};
  std::function<void()> before_write = {};
  std::function<void()> before_look_up = {};
  bool refusals_tell = false;  // a refused write brings the register
  bool fifo_requests = false;
  bool latch = false;
  std::int64_t largest = kMost;
  int reads = 0;
  int writes = 0;
  int look_ups = 0;

 private:
  std::optional<Seen> now() const { return server_.value(); }

  bool applied(const Seen& seen, std::optional<std::int64_t> to,
               std::optional<std::uint64_t> record, Ticket ticket) {
    if (seen.version != server_.value().version) return false;
    if (!fifo_requests && record && server_.records[*record].ticket == ticket)
      return false;
    server_.set(to);
    if (record) server_.records[*record] = {ticket, server_.value()};
    return true;
  }

  Server& server_;
  ReceiptPool<Receipt> receipts_;
  std::optional<Seen> cached_ = {};
  std::vector<std::function<bool()>> on_their_way_;
};

class RegisterLoopTest : public testing::Test {
 protected:
  Result<Value> add(std::int64_t by, std::uint64_t ticket = 0) {
    return RegisterLoop(store).add(by, Ticket{ticket}, soon());
  }

  // Repeats add(5, 7), whose late request arrives just before the new one.
  void expect_found_by_a_conflict() {
    store.before_write = [&] { store.arrive(); };
    const auto again = add(5, 7);
    ASSERT_TRUE(again);
    EXPECT_EQ(again->number, 5);
    EXPECT_EQ(server.number, 5);
  }

  Result<Exchanged> exchange(const Value& from, std::optional<std::int64_t> to,
                             std::uint64_t ticket = 0) {
    return RegisterLoop(store).exchange(from, to, Ticket{ticket}, soon());
  }
  static Deadline soon() { return Clock::now() + 10s; }

  Server server;
  FakeStore store{server};
};

std::error_code code_of(const auto& result) {
  return result ? std::error_code() : result.error().code;
}

TEST_F(RegisterLoopTest, AnUndisturbedChangeIsOneRequest) {
  ASSERT_TRUE(add(1));
  store.reads = store.writes = 0;
  const auto added = add(2, 7);
  ASSERT_TRUE(added);
  EXPECT_EQ(added->number, 3);
  EXPECT_EQ(store.reads, 0);
  EXPECT_EQ(store.writes, 1);
  EXPECT_EQ(store.look_ups, 0);
}

TEST_F(RegisterLoopTest, ReadsAgainWhenTheCachedStateIsStale) {
  ASSERT_TRUE(add(1));
  server.set(10);
  const auto added = add(1);
  ASSERT_TRUE(added);
  EXPECT_EQ(added->number, 11);
}

TEST_F(RegisterLoopTest, TakesTheStateFromARefusalThatTellsIt) {
  store.refusals_tell = true;
  ASSERT_TRUE(add(1));
  server.set(10);
  store.reads = 0;
  ASSERT_TRUE(add(1));
  EXPECT_EQ(store.reads, 0);
  EXPECT_EQ(server.number, 11);
}

TEST_F(RegisterLoopTest, AStaleStateAloneRefusesNothing) {
  ASSERT_TRUE(add(1));
  server.set(10);
  const auto swapped = exchange({10, engine::kAnyVersion}, 20);
  ASSERT_TRUE(swapped);
  EXPECT_TRUE(swapped->done);
  EXPECT_EQ(server.number, 20);
}

TEST_F(RegisterLoopTest, ARefusalTellsHowTheRegisterStands) {
  server.set(10);
  const auto swapped = exchange({3, engine::kAnyVersion}, 20, 7);
  ASSERT_TRUE(swapped);
  EXPECT_FALSE(swapped->done);
  EXPECT_EQ(swapped->now.number, 10);
  EXPECT_EQ(store.writes, 0);
}

TEST_F(RegisterLoopTest, GivesUpWhenOthersAreAlwaysFaster) {
  server.set(1);
  store.before_write = [&] { server.set(*server.number + 1); };
  const auto added = RegisterLoop(store).add(1, Ticket{7}, Clock::now());
  EXPECT_EQ(code_of(added), Errc::unavailable);
  EXPECT_NE(added.error().context.find("\"stock\""), std::string::npos);
}

TEST_F(RegisterLoopTest, AChangeWhoseReplyWasLostIsNotMadeTwice) {
  store.replies = {Reply::lost};
  EXPECT_EQ(code_of(add(5, 7)), Errc::outcome_unknown);
  EXPECT_EQ(server.number, 5);
  const auto again = add(5, 7);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->number, 5);
  EXPECT_EQ(server.number, 5);
  const auto third = add(5, 7);
  ASSERT_TRUE(third);
  EXPECT_EQ(third->number, 5);
  EXPECT_EQ(store.look_ups, 1) << "the outcome is remembered";
}

TEST_F(RegisterLoopTest, ARepeatedChangeIsMadeIfItHadNotArrived) {
  store.replies = {Reply::late};
  EXPECT_EQ(code_of(add(5, 7)), Errc::outcome_unknown);
  ASSERT_TRUE(add(5, 7));
  EXPECT_EQ(server.number, 5);
  store.arrive();
  EXPECT_EQ(server.number, 5) << "the first request came after the second";
}

TEST_F(RegisterLoopTest, ARequestThatArrivesAfterTheLookUpIsFoundByAConflict) {
  store.replies = {Reply::late};
  EXPECT_EQ(code_of(add(5, 7)), Errc::outcome_unknown);
  expect_found_by_a_conflict();
}

TEST_F(RegisterLoopTest, ARequestThatArrivesAfterTheLookUpIsNotTakenForARefusal) {
  store.replies = {Reply::late};
  EXPECT_EQ(code_of(exchange({}, 5, 7)), Errc::outcome_unknown);
  store.forget();
  store.before_read = [&] { store.arrive(); };
  const auto again = exchange({}, 5, 7);
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->done) << "it was this ticket that changed the register";
  EXPECT_EQ(again->now.number, 5);
}

TEST_F(RegisterLoopTest, ALateRequestOutlivesSeveralCallsThatFailed) {
  store.replies = {Reply::late, Reply::late};
  EXPECT_EQ(code_of(add(5, 7)), Errc::outcome_unknown);
  EXPECT_EQ(code_of(add(5, 7)), Errc::outcome_unknown);
  expect_found_by_a_conflict();
}

TEST_F(RegisterLoopTest, ALateRequestOutlivesACallThatCouldNotBeSent) {
  store.replies = {Reply::late, Reply::unsent};
  EXPECT_EQ(code_of(add(5, 7)), Errc::outcome_unknown);
  EXPECT_EQ(code_of(add(5, 7)), Errc::unavailable);
  expect_found_by_a_conflict();
}

TEST_F(RegisterLoopTest, ARepeatedCallIsAnsweredAsBefore) {
  ASSERT_TRUE(add(5, 7));
  EXPECT_FALSE(exchange({9, engine::kAnyVersion}, 1, 8)->done);
  store.writes = 0;
  server.set(9);
  const auto added = add(5, 7);
  ASSERT_TRUE(added);
  EXPECT_EQ(added->number, 5);
  EXPECT_FALSE(exchange({9, engine::kAnyVersion}, 1, 8)->done);
  EXPECT_EQ(server.number, 9);
  EXPECT_EQ(store.writes, 0);
}

// There the record need not guard the register, since it is looked up first.
TEST_F(RegisterLoopTest, NothingIsMadeTwiceWhereRequestsAreAppliedInOrder) {
  store.fifo_requests = true;
  store.replies = {Reply::lost};
  EXPECT_EQ(code_of(add(5, 7)), Errc::outcome_unknown);
  store.forget();
  const auto again = add(5, 7);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->number, 5);
  EXPECT_EQ(server.number, 5);
}

TEST_F(RegisterLoopTest, LooksUpOnceWhereRequestsAreAppliedInOrder) {
  store.fifo_requests = true;
  store.replies = {Reply::lost};
  server.set(1);
  store.before_write = [&] {
    store.before_write = {};
    server.set(2);  // so that the first request is refused, and no caller learns it
  };
  EXPECT_EQ(code_of(add(5, 7)), Errc::outcome_unknown);
  const auto refused = exchange({1, engine::kAnyVersion}, 9, 7);
  ASSERT_TRUE(refused);
  EXPECT_FALSE(refused->done);
  EXPECT_EQ(store.look_ups, 1);
}

TEST_F(RegisterLoopTest, AChangeWithoutATicketWritesNoReceipt) {
  ASSERT_TRUE(add(1));
  EXPECT_TRUE(server.records.empty());
}

TEST_F(RegisterLoopTest, TicketsShareAFewReceipts) {
  for (std::uint64_t ticket = 1; ticket <= 100; ++ticket) ASSERT_TRUE(add(1, ticket));
  EXPECT_EQ(server.number, 100);
  EXPECT_LE(server.records.size(), 4U);
}

TEST_F(RegisterLoopTest, AReceiptForgetsTheDoubtOfAnEarlierTicket) {
  store.replies = {Reply::lost};
  EXPECT_EQ(code_of(add(1, 1)), Errc::outcome_unknown);
  ASSERT_TRUE(add(1, 1));
  store.look_ups = 0;
  for (std::uint64_t ticket = 2; ticket <= 9; ++ticket) {
    server.set(100);  // so that the cached state is stale, and the write is refused
    ASSERT_TRUE(add(1, ticket));
  }
  EXPECT_EQ(store.look_ups, 0);
}

TEST_F(RegisterLoopTest, AReceiptInDoubtIsNotUsedForAnotherTicket) {
  store.replies = {Reply::lost};
  EXPECT_EQ(code_of(add(1, 1)), Errc::outcome_unknown);
  for (std::uint64_t ticket = 2; ticket <= 100; ++ticket) ASSERT_TRUE(add(1, ticket));
  const auto again = add(1, 1);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->number, 1);
  EXPECT_EQ(server.number, 100);
}

TEST_F(RegisterLoopTest, ANumberThatDoesNotFitIsRefusedByTheFreshState) {
  server.set(kMost);
  const auto added = add(1, 7);
  EXPECT_EQ(code_of(added), Errc::bad_argument);
  EXPECT_NE(added.error().context.find("\"stock\""), std::string::npos);
  EXPECT_EQ(server.number, kMost);
  server.set(1);  // the cached state still says that it does not fit
  EXPECT_TRUE(add(1, 8));
  store.largest = 100;
  EXPECT_EQ(code_of(exchange({2, engine::kAnyVersion}, 101)), Errc::bad_argument);
  EXPECT_TRUE(exchange({2, engine::kAnyVersion}, 100));
}

TEST(RegisterDecisionTest, AddStartsACounterFromZeroAndLeavesAnAbsentLatch) {
  EXPECT_EQ(decide_add({}, 3, false)->to, 3);
  EXPECT_FALSE(decide_add({}, 3, true)->change);
  EXPECT_EQ(decide_add({2, 1}, -1, true)->to, 1);
}

TEST(RegisterDecisionTest, ALatchThatComesToZeroIsErased) {
  const auto opened = decide_add({2, 1}, -2, true);
  EXPECT_TRUE(opened->change);
  EXPECT_EQ(opened->to, std::nullopt);
  EXPECT_EQ(decide_add({2, 1}, -2, false)->to, 0);
}

TEST(RegisterDecisionTest, ASumThatOverflowsIsNone) {
  EXPECT_FALSE(decide_add({kMost, 1}, 1, false));
  EXPECT_FALSE(decide_add({-2, 1}, std::numeric_limits<std::int64_t>::min(), false));
}

TEST(RegisterDecisionTest, ExchangeOfNothingForNothingChangesNothing) {
  EXPECT_FALSE(decide_exchange({}, {}, std::nullopt).change);
  EXPECT_TRUE(decide_exchange({}, {}, std::nullopt).done);
  EXPECT_TRUE(decide_exchange({}, {}, 1).change);
  EXPECT_TRUE(decide_exchange({1, 4}, {1, 4}, std::nullopt).change);
  EXPECT_FALSE(decide_exchange({1, 5}, {1, 4}, 2).change);
  EXPECT_FALSE(decide_exchange({1, 5}, {1, 4}, 2).done);
}

}  // namespace
}  // namespace holdfast::kit
