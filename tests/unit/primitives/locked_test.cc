// SPDX-License-Identifier: Apache-2.0

#include "holdfast/locked.h"

#include <gtest/gtest.h>

#include <locale>
#include <memory>
#include <stop_token>
#include <string>

#include "holdfast/fair_mutex.h"
#include "holdfast/mutex.h"
#include "holdfast/shared_mutex.h"
#include "world.h"

namespace holdfast {
namespace {

using test::Sort;

struct Account {
  int id = 0;
};

struct User : Account {
  User(int number, std::string at) : Account{number}, region(std::move(at)) {}
  std::string region;
  std::string where() const { return region; }
};

class LockedTest : public testing::Test {
 protected:
  bool is_free(const std::string& name) {
    return Mutex(rival, name).acquire({.wait = Timeout::zero()}).has_value();
  }

  const std::shared_ptr<test::FakeWorld> world =
      test::make_world(Sort::leased_with_gate);
  Client client = test::join(world);
  Client rival = test::join(world);
};

TEST_F(LockedTest, LocksByAMemberOfAnArgument) {
  auto handle = locked(client, {.prefix = "ACCOUNT:USER"}, &User::id,
                       [&](const std::string& verb, const User& user) {
                         EXPECT_FALSE(is_free("ACCOUNT:USER:7"));
                         return verb + std::to_string(user.id);
                       });
  const Result<std::string> done = handle(std::string("pay"), User{7, "eu"});
  EXPECT_EQ(*done, "pay7");
  EXPECT_TRUE(is_free("ACCOUNT:USER:7"));
}

TEST_F(LockedTest, LocksByAMemberFunctionOrALambda) {
  auto by_getter = locked(client, {.prefix = "p"}, &User::where,
                          [&](const User&) { EXPECT_FALSE(is_free("p:eu")); });
  EXPECT_TRUE(by_getter(User{7, "eu"}));
  auto by_lambda = locked(client, {}, key_of([](const User& user) {
                            return user.region + std::to_string(user.id);
                          }),
                          [&](const User&) { EXPECT_FALSE(is_free("eu7")); });
  User user{7, "eu"};
  EXPECT_TRUE(by_lambda(user));
  auto by_all =
      locked(client, {.prefix = "SUM"}, key_of([](int a, int b) { return a + b; }),
             [&](int, int) { EXPECT_FALSE(is_free("SUM:5")); });
  EXPECT_TRUE(by_all(2, 3));
}

TEST_F(LockedTest, LocksByAMemberOfABaseClass) {
  auto handle = locked(client, {.prefix = "p"}, &Account::id,
                       [&](const User&) { EXPECT_FALSE(is_free("p:7")); });
  EXPECT_TRUE(handle(User{7, "eu"}));
}

TEST_F(LockedTest, LocksByAFormat) {
  auto move = locked(client, {.prefix = "MOVE"}, key_text<"{1}:{0}{{}}">,
                     [&](int from, const char* to) {
                       EXPECT_FALSE(is_free("MOVE:b:3{}"));
                       return from + to[0];
                     });
  EXPECT_EQ(*move(3, "b"), 3 + 'b');
  auto next = locked(client, {.prefix = "N"}, key_text<"{}-{}">,
                     [&](int, int) { EXPECT_FALSE(is_free("N:1-2")); });
  EXPECT_TRUE(next(1, 2));
  auto whole = locked(client, {.prefix = "ALL"}, [&] { return is_free("ALL"); });
  EXPECT_FALSE(*whole());
}

// Sets the locale of the process, which groups digits, for as long as it lives.
class GroupedDigits {
 public:
  GroupedDigits()
      : before_(std::locale::global(std::locale(std::locale(), new Grouped))) {}
  ~GroupedDigits() { std::locale::global(before_); }
  GroupedDigits(const GroupedDigits&) = delete;
  GroupedDigits& operator=(const GroupedDigits&) = delete;

 private:
  struct Grouped : std::numpunct<char> {
    char do_thousands_sep() const override { return ','; }
    std::string do_grouping() const override { return "\3"; }
    char do_decimal_point() const override { return ';'; }
  };
  const std::locale before_;
};

TEST_F(LockedTest, SpellsAKeyAlikeInEveryLocale) {
  const GroupedDigits grouped;
  auto by_member = locked(client, {.prefix = "USER"}, &User::id,
                          [&](const User&) { return is_free("USER:4711"); });
  EXPECT_FALSE(*by_member(User{4711, "eu"}));
  auto by_text = locked(client, {}, key_text<"{}:{}:{}">,
                        [&](auto...) { return is_free("4711:2.5:1e+06"); });
  EXPECT_FALSE(*by_text(4711L, 2.5, 1e6F));
}

TEST_F(LockedTest, SpellsANumberSoThatItDiffersFromAllOthers) {
  auto by_text =
      locked(client, {}, key_text<"{}">, [&](double) { return is_free("1234567.25"); });
  EXPECT_FALSE(*by_text(1234567.25));
  EXPECT_TRUE(*by_text(1234567.5));
}

TEST_F(LockedTest, SaysWhyItDidNotCall) {
  Mutex taken(rival, "p:7");
  taken.lock();
  int calls = 0;
  auto handle = locked(client, {.prefix = "p", .wait = Timeout::zero()}, &User::id,
                       [&](const User&) { return ++calls; });
  const auto busy = handle(User{7, ""});
  ASSERT_FALSE(busy);
  EXPECT_EQ(busy.error().code, Errc::timed_out);
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(*handle(User{8, ""}), 1);
}

TEST_F(LockedTest, RefusesAnEmptyName) {
  auto no_name = locked(client, {}, key_text<"{}">, [](const std::string&) {});
  EXPECT_EQ(no_name(std::string()).error().code, Errc::bad_name);
}

TEST_F(LockedTest, ThrowsIfTheCallerChoseThat) {
  Mutex taken(rival, "p:7");
  taken.lock();
  auto handle = locked(
      client, {.prefix = "p", .wait = Timeout::zero()}, &User::id,
      [](const User& user) { return user.id; }, or_throw);
  EXPECT_THROW((void)handle(User{7, ""}), Error);
  EXPECT_EQ(handle(User{8, ""}), 8);
}

TEST_F(LockedTest, CallsAnotherFunctionIfTheLockIsNotHad) {
  Mutex taken(rival, "p:7");
  taken.lock();
  auto handle = locked(
      client, {.prefix = "p", .wait = Timeout::zero()}, &User::id,
      [](const User& user) { return user.id; },
      or_else([](const Failure& why, const User& user) {
        EXPECT_EQ(why.code, Errc::timed_out);
        return -user.id;
      }));
  EXPECT_EQ(handle(User{7, ""}), -7);
  EXPECT_EQ(handle(User{8, ""}), 8);
}

TEST_F(LockedTest, HasTheSameChoicesWithoutAKey) {
  const LockedOptions nightly{.prefix = "nightly", .wait = Timeout::zero()};
  auto must = locked(
      client, nightly, [&] { return is_free("nightly"); }, or_throw);
  auto may = locked(
      client, nightly, [&](auto... args) { return int{sizeof...(args)}; },
      or_else([](const Failure& why, auto...) {
        EXPECT_EQ(why.code, Errc::timed_out);
        return -1;
      }));
  EXPECT_FALSE(must());
  EXPECT_EQ(may(1, 2), 2);
  Mutex taken(rival, "nightly");
  taken.lock();
  EXPECT_THROW((void)must(), Error);
  EXPECT_EQ(may(1, 2), -1);
}

TEST_F(LockedTest, GuardsAMemberFunction) {
  auto where = locked(client, {.prefix = "p"}, &User::where);
  EXPECT_EQ(*where(User{7, "eu"}), "eu");
  auto by_id = locked(client, {.prefix = "p"}, &User::id, &User::where, or_throw);
  EXPECT_EQ(by_id(User{7, "eu"}), "eu");
}

TEST_F(LockedTest, StopsWaitingWhenItIsStopped) {
  Mutex taken(rival, "stopped");
  taken.lock();
  std::stop_source stop;
  stop.request_stop();
  for (const LockType type :
       {LockType::mutex, LockType::fair, LockType::shared, LockType::exclusive}) {
    auto handle = locked(
        client, {.prefix = "stopped", .type = type, .stop = stop.get_token()}, [] {});
    EXPECT_EQ(handle().error().code, Errc::cancelled);
  }
}

TEST_F(LockedTest, TakesTheSideOfASharedMutexThatItNames) {
  const auto under = [&](LockType type) {
    return locked(client, {.prefix = "s", .type = type, .wait = Timeout::zero()},
                  [] {});
  };
  SharedMutex reader(rival, "s");
  const auto held = reader.acquire_shared().value();
  EXPECT_TRUE(under(LockType::shared)());
  EXPECT_EQ(under(LockType::exclusive)().error().code, Errc::timed_out);
}

TEST_F(LockedTest, TakesAFairMutex) {
  auto fair = locked(client, {.prefix = "f", .type = LockType::fair}, [&] {
    EXPECT_FALSE(FairMutex(rival, "f").acquire({.wait = Timeout::zero()}));
  });
  EXPECT_TRUE(fair());
}

TEST_F(LockedTest, Composes) {
  auto inner = locked(client, {.prefix = "in"}, key_text<"{}">, [&](int n) {
    EXPECT_FALSE(is_free("in:4"));
    EXPECT_FALSE(is_free("out:4"));
    return n * 2;
  });
  auto outer = locked(client, {.prefix = "out"}, key_text<"{}">, inner);
  const Result<int> flat = outer(4);
  EXPECT_EQ(*flat, 8);
  auto failing = locked(client, {.prefix = "f"},
                        []() -> Result<int> { return Errc::unsupported; });
  EXPECT_EQ(failing().error().code, Errc::unsupported);
}

TEST_F(LockedTest, HandsTheHoldToAFunctionThatTakesIt) {
  auto fenced = locked(client, {.prefix = "p"}, key_text<"{}">,
                       [](const Hold& hold, int n) { return hold.token().value + n; });
  const auto first = *fenced(1);
  EXPECT_GT(*fenced(1), first);
  auto moves = locked(client, {.prefix = "m"},
                      [](std::unique_ptr<int> value) { return *value; });
  EXPECT_EQ(*moves(std::make_unique<int>(5)), 5);
}

}  // namespace
}  // namespace holdfast
