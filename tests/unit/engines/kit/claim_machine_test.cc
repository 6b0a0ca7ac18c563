// SPDX-License-Identifier: Apache-2.0

#include "engines/kit/claim_machine.h"

#include <gtest/gtest.h>

#include <functional>

namespace holdfast::kit {
namespace {

using engine::Blocked;
using engine::Claim;
using engine::Deadline;
using engine::Granted;
using engine::Kind;
using engine::Mode;
using engine::Ticket;
using namespace std::chrono_literals;

constexpr std::int64_t kFirstSession = 1;

class SilentSignal final : public engine::Signal {
 public:
  void ring() noexcept override {}
  void wait(Deadline) noexcept override {}
};

// A queue in memory, by ticket. What is called is logged, and `before` runs first.
class ScriptedStore {
 public:
  struct State : ClaimProgress {
    int looks = 0;
    bool armed = false;
    void disarm() noexcept { armed = false; }
  };
  struct Held {
    std::int64_t session_id;
    Mode mode;
  };
  struct Snapshot : QueueSnapshot {};
  struct Row {
    Ticket ticket;
    engine::QueueEntry entry;
  };

  explicit ScriptedStore(Kind kind) : kind_(kind) {}

  Kind kind() const noexcept { return kind_; }
  std::string subject() const { return "\"a\""; }
  Result<std::int64_t> session(Deadline) {
    const auto old = std::exchange(read_before, std::nullopt);
    return old ? *old : present;
  }
  bool is_over(std::int64_t session_id) const noexcept { return session_id != present; }

  Result<std::optional<Snapshot>> look(State& state, const Claim& claim, Deadline) {
    ++state.looks;
    if (auto failed = called("look")) return *failed;
    if (find(claim.ticket) == rows.end()) {
      rows.push_back({claim.ticket, {claim.mode, claim.permits, false}});
    }
    if (lose_reply_to == "look") return Errc::outcome_unknown;
    if (std::exchange(look_again, false)) return std::optional<Snapshot>();
    Snapshot queue;
    queue.own = static_cast<std::size_t>(find(claim.ticket) - rows.begin());
    for (const Row& row : rows) queue.entries.push_back(row.entry);
    queue.capacity = capacity;
    queue.retry_after = 7s;
    return std::optional(std::move(queue));
  }
  Result<Capacity> set_capacity(State&, const Claim& claim, Deadline) {
    if (auto failed = called("set_capacity")) return *failed;
    if (!capacity) capacity = claim.capacity;
    return std::exchange(stale, false) ? Capacity() : capacity;
  }
  ClaimTable<State, Held>& claims() noexcept { return claims_; }
  Result<bool> admit(State&, const Claim& claim, const Snapshot&, Deadline) {
    if (auto failed = called("admit")) return *failed;
    if (std::exchange(overtaken, false)) return false;
    find(claim.ticket)->entry.granted = true;
    if (lose_reply_to == "admit") return Errc::outcome_unknown;
    return true;
  }
  Result<bool> arm(State& state, const Snapshot&, const Obstacle& on,
                   const engine::Waker&, Deadline) {
    if (auto failed = called("arm")) return *failed;
    obstacle = on;
    state.armed = true;
    return !std::exchange(changed_meanwhile, false);
  }
  Result<void> remove(State&, Ticket ticket, const std::optional<Held>& last,
                      Deadline) {
    if (auto failed = called("remove")) return *failed;
    last_held = last;
    const bool any =
        std::erase_if(rows, [&](const Row& row) { return row.ticket == ticket; }) > 0;
    if (lose_reply_to == "remove") return Errc::outcome_unknown;
    if (!any) return Errc::not_held;
    return {};
  }
  Result<void> rewrite(State& state, const Claim& wanted, Deadline) {
    if (auto failed = called("rewrite")) return *failed;
    find(wanted.ticket)->entry = {wanted.mode, wanted.permits, true};
    state.mode = wanted.mode;
    return {};
  }
  Granted granted(const State& state, const Claim&, Clock::time_point asked) const {
    EXPECT_TRUE(state.granted);
    EXPECT_FALSE(state.armed);
    EXPECT_LE(state.since, asked);
    return {.token = {42}};
  }
  Held held(const State& state) const { return {state.session_id, state.mode}; }

  std::vector<Row>::iterator find(Ticket ticket) {
    return std::find_if(rows.begin(), rows.end(),
                        [&](const Row& row) { return row.ticket == ticket; });
  }

  std::int64_t present = kFirstSession;
  std::optional<std::int64_t> read_before;  // once: a session that has ended meanwhile
  std::vector<Row> rows;
  Capacity capacity;
  bool look_again = false;         // once
  bool stale = false;              // once: set_capacity makes the queue another one
  bool overtaken = false;          // once: admit finds that something has changed
  bool changed_meanwhile = false;  // once: arm finds that something has changed
  std::string lose_reply_to;
  std::function<std::optional<Errc>(std::string_view call)> before;
  std::optional<Obstacle> obstacle;
  std::optional<Held> last_held;
  std::string log;

 private:
  std::optional<Failure> called(std::string_view call) {
    log.append(log.empty() ? "" : " ").append(call);
    if (!before) return std::nullopt;
    if (const auto code = before(call)) return Failure(*code);
    return std::nullopt;
  }

  const Kind kind_;
  ClaimTable<State, Held> claims_;
};

class ClaimMachineTest : public testing::Test {
 protected:
  static Claim claim_of(std::uint64_t ticket) { return {.ticket = Ticket{ticket}}; }
  static Deadline soon() { return Clock::now() + 10s; }

  // g granted, b blocked, or the name of the error.
  std::string attempt(ClaimMachine<ScriptedStore>& machine, const Claim& claim,
                      bool waits = true, Deadline until = soon()) {
    const auto verdict = machine.attempt(claim, waits ? signal_ : nullptr, until);
    if (!verdict) return verdict.error().code.message();
    if (const auto* blocked = std::get_if<Blocked>(&*verdict)) {
      EXPECT_EQ(blocked->retry_after, 7s);
      return "b";
    }
    EXPECT_EQ(std::get<Granted>(*verdict).token.value, 42u);
    return "g";
  }
  std::string attempt(const Claim& claim, bool waits = true) {
    return attempt(machine_, claim, waits);
  }
  std::string log() { return std::exchange(store_.log, {}); }

  ScriptedStore store_{Kind::mutex};
  ClaimMachine<ScriptedStore> machine_{store_};
  const engine::Waker signal_ = std::make_shared<SilentSignal>();
};

TEST_F(ClaimMachineTest, AFreeOneIsOneLookAndOneGrant) {
  EXPECT_EQ(attempt(claim_of(1)), "g");
  EXPECT_EQ(log(), "look admit");
  EXPECT_EQ(attempt(claim_of(1)), "g");
  EXPECT_EQ(log(), "") << "it is known to be granted";
  ASSERT_TRUE(store_.claims().held(Ticket{1}));
}

TEST_F(ClaimMachineTest, ATakenOneIsArmedOnItsPredecessor) {
  EXPECT_EQ(attempt(claim_of(1)), "g");
  EXPECT_EQ(attempt(claim_of(2)), "b");
  EXPECT_EQ(attempt(claim_of(3)), "b");
  EXPECT_EQ(log(), "look admit look arm look arm");
  ASSERT_TRUE(store_.obstacle && store_.obstacle->entry);
  EXPECT_EQ(*store_.obstacle->entry, 1u);
  EXPECT_FALSE(store_.claims().held(Ticket{2}));
}

TEST_F(ClaimMachineTest, LooksAgainIfSomethingChangedWhileItArmed) {
  EXPECT_EQ(attempt(claim_of(1)), "g");
  store_.changed_meanwhile = true;
  store_.before = [this](std::string_view call) -> std::optional<Errc> {
    if (call == "arm") store_.rows.erase(store_.rows.begin());
    return std::nullopt;
  };
  EXPECT_EQ(attempt(claim_of(2)), "g");
  EXPECT_EQ(log(), "look admit look arm look admit");
}

TEST_F(ClaimMachineTest, LooksAgainIfItWasOvertakenOrPutRight) {
  store_.overtaken = true;
  store_.look_again = true;
  EXPECT_EQ(attempt(claim_of(1)), "g");
  EXPECT_EQ(log(), "look look admit look admit");
}

TEST_F(ClaimMachineTest, GoesRoundOnlyUntilItsDeadline) {
  store_.before = [this](std::string_view) -> std::optional<Errc> {
    store_.overtaken = true;
    return std::nullopt;
  };
  const std::string failed = attempt(machine_, claim_of(1), true, Clock::now() - 1s);
  EXPECT_EQ(failed, make_error_code(Errc::unavailable).message());
  EXPECT_EQ(log(), "look admit");
}

TEST_F(ClaimMachineTest, FindsWhatALostReplyHasDone) {
  const std::string unknown = make_error_code(Errc::outcome_unknown).message();
  store_.lose_reply_to = "look";
  EXPECT_EQ(attempt(claim_of(1)), unknown);
  store_.lose_reply_to = "admit";
  EXPECT_EQ(attempt(claim_of(1)), unknown);
  store_.lose_reply_to.clear();
  EXPECT_EQ(attempt(claim_of(1)), "g");
  EXPECT_EQ(log(), "look look admit look") << "nothing is written twice";
  EXPECT_EQ(store_.rows.size(), 1u);
}

TEST_F(ClaimMachineTest, WhatDoesNotWaitLeavesNoEntry) {
  EXPECT_EQ(attempt(claim_of(1)), "g");
  EXPECT_EQ(attempt(claim_of(2), false), "b");
  EXPECT_EQ(log(), "look admit look remove");
  EXPECT_EQ(store_.claims().find(Ticket{2}), nullptr);
  store_.lose_reply_to = "remove";
  EXPECT_EQ(attempt(claim_of(3), false),
            make_error_code(Errc::outcome_unknown).message());
  EXPECT_NE(store_.claims().find(Ticket{3}), nullptr) << "it may be there";
}

TEST_F(ClaimMachineTest, AFailureForGoodLeavesNoEntry) {
  store_.before = [](std::string_view call) -> std::optional<Errc> {
    if (call == "admit") return Errc::wrong_kind;
    return std::nullopt;
  };
  EXPECT_EQ(attempt(claim_of(1)), make_error_code(Errc::wrong_kind).message());
  EXPECT_TRUE(store_.rows.empty());
  EXPECT_EQ(log(), "look admit remove");
}

TEST_F(ClaimMachineTest, ADropIsFinalAndMayBeRepeated) {
  EXPECT_EQ(attempt(claim_of(1)), "g");
  store_.lose_reply_to = "remove";
  EXPECT_EQ(machine_.drop(claim_of(1), soon()).error().code, Errc::outcome_unknown);
  ASSERT_TRUE(store_.last_held);
  EXPECT_FALSE(store_.claims().held(Ticket{1})) << "no renewal may extend it";
  store_.lose_reply_to.clear();
  EXPECT_EQ(machine_.drop(claim_of(1), soon()).error().code, Errc::not_held);
  EXPECT_EQ(store_.claims().find(Ticket{1}), nullptr);
  (void)log();
  EXPECT_EQ(machine_.drop(claim_of(1), soon()).error().code, Errc::not_held);
  EXPECT_EQ(log(), "") << "nothing is asked about a claim that is not known";
}

TEST_F(ClaimMachineTest, AnotherSessionStartsAgain) {
  EXPECT_EQ(attempt(claim_of(1)), "g");
  EXPECT_EQ(attempt(claim_of(2)), "b");
  EXPECT_EQ(attempt(claim_of(3)), "b");
  store_.rows.clear();
  store_.present = 2;
  (void)log();
  EXPECT_EQ(machine_.amend(claim_of(1), claim_of(1), soon()).error().code,
            Errc::not_held);
  EXPECT_EQ(machine_.drop(claim_of(3), soon()).error().code, Errc::not_held);
  EXPECT_EQ(log(), "") << "they have ended with their session";
  EXPECT_EQ(attempt(claim_of(2)), "g");
  EXPECT_EQ(store_.claims().held(Ticket{2})->session_id, 2);
  EXPECT_EQ(store_.claims().find(Ticket{2})->looks, 1) << "nothing is known of it";
  EXPECT_EQ(store_.claims().find(Ticket{1}), nullptr) << "it was granted before";
}

// Another call is granted its claim under the next session in the meantime.
TEST_F(ClaimMachineTest, AnAttemptThatKnowsAnEndedSessionForgetsNoLaterClaim) {
  store_.present = 2;
  EXPECT_EQ(attempt(claim_of(2)), "g");
  store_.read_before = kFirstSession;
  EXPECT_EQ(attempt(claim_of(1)), "b");
  ASSERT_TRUE(store_.claims().held(Ticket{2}));
  EXPECT_EQ(store_.claims().held(Ticket{2})->session_id, 2);
  EXPECT_TRUE(machine_.drop(claim_of(2), soon()));
  EXPECT_EQ(attempt(claim_of(1)), "g");
}

TEST_F(ClaimMachineTest, AmendNeverCreatesOrGrows) {
  ScriptedStore store(Kind::shared_mutex);
  ClaimMachine<ScriptedStore> machine(store);
  const Claim writer = claim_of(1);
  Claim reader = writer;
  reader.mode = Mode::shared;
  EXPECT_EQ(machine.amend(writer, reader, soon()).error().code, Errc::not_held);
  EXPECT_EQ(attempt(machine, writer), "g");
  EXPECT_TRUE(machine.amend(writer, reader, soon()));
  EXPECT_EQ(store.rows.front().entry.mode, Mode::shared);
  EXPECT_EQ(machine.amend(reader, writer, soon()).error().code, Errc::unsupported);
  Claim larger = reader;
  larger.permits = 2;
  EXPECT_EQ(machine.amend(reader, larger, soon()).error().code, Errc::unsupported);
  EXPECT_EQ(store.log, "look admit rewrite");
}

TEST_F(ClaimMachineTest, FewerPermitsStayFewer) {
  ScriptedStore store(Kind::semaphore);
  ClaimMachine<ScriptedStore> machine(store);
  const Claim three{.ticket = Ticket{1}, .permits = 3, .capacity = 3};
  Claim one = three;
  one.permits = 1;
  EXPECT_EQ(attempt(machine, three), "g");
  EXPECT_EQ(store.log, "look set_capacity admit");
  EXPECT_TRUE(machine.amend(three, one, soon()));
  EXPECT_EQ(machine.amend(one, three, soon()).error().code, Errc::unsupported);
}

TEST_F(ClaimMachineTest, LooksAgainIfTheQueueChangedWithItsCapacity) {
  ScriptedStore store(Kind::semaphore);
  ClaimMachine<ScriptedStore> machine(store);
  store.stale = true;
  EXPECT_EQ(attempt(machine, {.ticket = Ticket{1}, .capacity = 1}), "g");
  EXPECT_EQ(store.log, "look set_capacity look admit");
}

// Another claim has stored another number since the look.
TEST_F(ClaimMachineTest, TheCapacityThatIsStoredCounts) {
  ScriptedStore store(Kind::semaphore);
  ClaimMachine<ScriptedStore> machine(store);
  store.before = [&](std::string_view call) -> std::optional<Errc> {
    if (call == "set_capacity") store.capacity = 1;
    return std::nullopt;
  };
  const Claim two{.ticket = Ticket{1}, .permits = 2, .capacity = 2};
  EXPECT_EQ(attempt(machine, two), make_error_code(Errc::bad_argument).message());
  EXPECT_EQ(store.log, "look set_capacity remove");
}

TEST_F(ClaimMachineTest, AGrantSaysWhatCapacityIsStored) {
  struct Case {
    std::string_view what;
    Kind kind;
    Capacity stored;
    std::uint32_t stated;
    std::uint32_t said;
  };
  constexpr Case kCases[] = {
      {"it stores its own", Kind::semaphore, {}, 3, 3},
      {"another one is stored", Kind::semaphore, 5, 3, 5},
      {"it states none", Kind::semaphore, 5, 0, 5},
      {"a number of parties is none", Kind::double_barrier, {}, 1, 0},
      {"nor is a register of another kind", Kind::mutex, 5, 0, 0},
  };
  for (const Case& each : kCases) {
    ScriptedStore store(each.kind);
    store.capacity = each.stored;
    const Claim claim{.ticket = Ticket{1}, .capacity = each.stated};
    const auto capacity = [&](ClaimMachine<ScriptedStore>& machine) {
      return std::get<Granted>(machine.attempt(claim, signal_, soon()).value())
          .capacity;
    };
    ClaimMachine<ScriptedStore> machine(store);
    EXPECT_EQ(capacity(machine), each.said) << each.what;
    store.capacity = 7;
    EXPECT_EQ(capacity(machine), each.said) << each.what << ", and again";
  }
}

// The grant was written and not answered; the queue shows it, with the capacity.
TEST_F(ClaimMachineTest, AGrantThatIsFoundSaysWhatCapacityIsStored) {
  ScriptedStore store(Kind::semaphore);
  ClaimMachine<ScriptedStore> machine(store);
  store.capacity = 5;
  const Claim claim{.ticket = Ticket{1}, .capacity = 3};
  store.lose_reply_to = "admit";
  EXPECT_FALSE(machine.attempt(claim, signal_, soon()));
  store.lose_reply_to.clear();
  store.capacity = 6;
  const auto found = machine.attempt(claim, signal_, soon());
  EXPECT_EQ(std::get<Granted>(found.value()).capacity, 6u);
}

TEST_F(ClaimMachineTest, MorePermitsThanThereAreFailAtOnce) {
  ScriptedStore store(Kind::semaphore);
  ClaimMachine<ScriptedStore> machine(store);
  store.capacity = 2;
  const auto refused = machine.attempt(
      {.ticket = Ticket{1}, .permits = 3, .capacity = 9}, signal_, soon());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::bad_argument);
  EXPECT_NE(refused.error().message().find("\"a\" will never have 3 permits"),
            std::string::npos);
  EXPECT_TRUE(store.rows.empty());
  EXPECT_EQ(*store.capacity, 2u);
}

TEST_F(ClaimMachineTest, ThePartiesOfADoubleBarrierNeedNoStoredCapacity) {
  ScriptedStore store(Kind::double_barrier);
  ClaimMachine<ScriptedStore> machine(store);
  const Claim first{.ticket = Ticket{1}, .capacity = 2};
  const Claim second{.ticket = Ticket{2}, .capacity = 2};
  EXPECT_EQ(attempt(machine, first), "b");
  EXPECT_EQ(store.obstacle->ends, 0u);
  EXPECT_EQ(attempt(machine, second), "g");
  EXPECT_EQ(attempt(machine, first), "g") << "one is in";
  EXPECT_EQ(store.log, "look arm look admit look admit");
}

}  // namespace
}  // namespace holdfast::kit
