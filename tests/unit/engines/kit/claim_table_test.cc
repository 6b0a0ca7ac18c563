// SPDX-License-Identifier: Apache-2.0

#include "engines/kit/claim_table.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <utility>

namespace holdfast::kit {
namespace {

using engine::Ticket;

struct TableState {
  int asked = 0;
};
struct TableHeld {
  std::int64_t session_id = 0;
  int renewed = 0;
};
using Table = ClaimTable<TableState, TableHeld>;

constexpr Ticket kOne{1};
constexpr Ticket kTwo{2};

TEST(ClaimTableTest, KeepsTheStateOfATicketUntilItIsErased) {
  Table table;
  EXPECT_EQ(table.find(kOne), nullptr);
  const auto state = table.find_or_add(kOne, {.asked = 1});
  state->asked = 2;
  EXPECT_EQ(table.find_or_add(kOne, {.asked = 7}), state);
  EXPECT_EQ(table.find(kTwo), nullptr);
  table.erase(kOne);
  EXPECT_EQ(table.find(kOne), nullptr);
  EXPECT_EQ(state->asked, 2) << "a caller that has it may go on using it";
}

TEST(ClaimTableTest, ShowsAHeldClaimAsItWasPublished) {
  Table table;
  (void)table.find_or_add(kOne);
  EXPECT_FALSE(table.held(kOne)) << "it is not granted yet";
  table.publish(kOne, {.session_id = 4, .renewed = 0});
  table.update_held(kOne, [](TableHeld& held) { held.renewed = 3; });
  EXPECT_EQ(table.held(kOne)->renewed, 3);
  table.publish(kOne, {.session_id = 4, .renewed = 9});
  EXPECT_EQ(table.held(kOne)->renewed, 9);
}

TEST(ClaimTableTest, AWithdrawnClaimIsNotHeldButStillKnown) {
  Table table;
  const auto state = table.find_or_add(kOne);
  table.publish(kOne, {});
  table.withdraw(kOne);
  EXPECT_FALSE(table.held(kOne));
  EXPECT_EQ(table.find(kOne), state);
  table.update_held(kOne, [](TableHeld&) { ADD_FAILURE() << "it is not held"; });
  table.withdraw(kTwo);
}

TEST(ClaimTableTest, AnErasedClaimIsNotHeld) {
  Table table;
  (void)table.find_or_add(kOne);
  table.publish(kOne, {});
  table.erase(kOne);
  EXPECT_FALSE(table.held(kOne));
}

TEST(ClaimTableTest, AClaimIsLostOnceAndIsThenUnknown) {
  Table table;
  const auto state = table.find_or_add(kOne);
  EXPECT_FALSE(table.lose(kOne)) << "it is not granted yet";
  table.publish(kOne, {.session_id = 4, .renewed = 3});
  const auto lost = table.lose(kOne);
  ASSERT_TRUE(lost);
  EXPECT_EQ(lost->state, state);
  EXPECT_EQ(lost->held.renewed, 3);
  EXPECT_EQ(table.find(kOne), nullptr);
  EXPECT_FALSE(table.lose(kOne));
}

TEST(ClaimTableTest, AClaimThatIsBeingDroppedIsNotLost) {
  Table table;
  const auto state = table.find_or_add(kOne);
  table.publish(kOne, {});
  table.withdraw(kOne);
  EXPECT_FALSE(table.lose(kOne));
  EXPECT_EQ(table.find(kOne), state) << "the drop may have to be repeated";
}

TEST(ClaimTableTest, ForgetsWhatWasGrantedUnderAnotherLease) {
  Table table;
  (void)table.find_or_add(kOne);
  (void)table.find_or_add(kTwo);
  (void)table.find_or_add(Ticket{3});
  table.publish(kOne, {.session_id = 4});
  table.publish(kTwo, {.session_id = 5});
  table.forget_ended_sessions(5, [](std::int64_t id) { return id < 5; });
  EXPECT_EQ(table.find(kOne), nullptr);
  EXPECT_NE(table.find(kTwo), nullptr);
  EXPECT_NE(table.find(Ticket{3}), nullptr) << "it still waits";
}

TEST(ClaimTableTest, KeepsWhatWasGrantedUnderALaterLeaseThanTheCallerKnows) {
  Table table;
  (void)table.find_or_add(kOne);
  table.publish(kOne, {.session_id = 5});
  table.forget_ended_sessions(4, [](std::int64_t id) { return id < 5; });
  EXPECT_NE(table.find(kOne), nullptr);
}

// Each new waiter asks, and there may be very many.
TEST(ClaimTableTest, LooksForEndedLeasesOnceForEachLease) {
  Table table;
  int asked = 0;
  const auto forget = [&](std::int64_t present) {
    table.forget_ended_sessions(present, [&](std::int64_t id) {
      ++asked;
      return id < present;
    });
    return std::exchange(asked, 0);
  };
  (void)table.find_or_add(kOne);
  (void)table.find_or_add(kTwo);
  table.publish(kOne, {.session_id = 4});
  EXPECT_EQ(forget(5), 1);
  EXPECT_EQ(forget(5), 0);
  table.publish(kTwo, {.session_id = 5});
  EXPECT_EQ(forget(5), 0);
  (void)table.find_or_add(kOne);
  table.publish(kOne, {.session_id = 4});
  EXPECT_EQ(forget(5), 1) << "this grant was told late";
  EXPECT_EQ(table.find(kOne), nullptr);
  EXPECT_EQ(forget(6), 1);
  EXPECT_EQ(table.find(kTwo), nullptr);
}

// What a claim holds on to may ask the table while it is destroyed.
struct Asks {
  using Claims = ClaimTable<int, Asks>;
  struct AtEnd {
    Claims* table;
    ~AtEnd() { (void)table->find(kOne); }
  };
  Asks(std::int64_t session, Claims* table)
      : session_id(session), at_end(new AtEnd{table}) {}

  std::int64_t session_id;
  std::shared_ptr<AtEnd> at_end;
};

TEST(ClaimTableTest, DestroysNothingWhileItIsLocked) {
  Asks::Claims asked;
  (void)asked.find_or_add(kOne);
  asked.publish(kOne, {0, &asked});
  asked.publish(kOne, {0, &asked});
  asked.withdraw(kOne);
  asked.publish(kOne, {0, &asked});
  asked.erase(kOne);
  EXPECT_EQ(asked.find(kOne), nullptr);
  asked.publish(kOne, {0, &asked});
  EXPECT_TRUE(asked.lose(kOne));
  asked.publish(kOne, {4, &asked});
  asked.forget_ended_sessions(5, [](std::int64_t) { return true; });
  EXPECT_EQ(asked.find(kOne), nullptr);
}

}  // namespace
}  // namespace holdfast::kit
