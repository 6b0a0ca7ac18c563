#include "holdfast/locked.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "world.h"

namespace holdfast {
namespace {

using test::Sort;

struct User {
  int id = 0;
  std::string region;
  std::string where() const { return region; }
};

class LockedTest : public testing::Test {
 protected:
  bool is_free(const std::string& name) {
    return Mutex(rival, name).acquire({.wait = Timeout::zero()}).has_value();
  }

  const std::shared_ptr<test::FakeWorld> world = test::make_world(Sort::leased_gated);
  Client client = test::join(world);
  Client rival = test::join(world);
};

TEST_F(LockedTest, LocksByAMemberOfAnArgument) {
  auto handle = locked(client, {.prefix = "ACCOUNT:USER", .key = &User::id},
                       [&](const std::string& verb, const User& user) {
                         EXPECT_FALSE(is_free("ACCOUNT:USER:7"));
                         return verb + std::to_string(user.id);
                       });
  const Result<std::string> done = handle(std::string("pay"), User{7, "eu"});
  EXPECT_EQ(*done, "pay7");
  EXPECT_TRUE(is_free("ACCOUNT:USER:7"));
}

TEST_F(LockedTest, LocksByAMemberFunctionOrALambda) {
  auto by_getter = locked(client, {.prefix = "p", .key = &User::where},
                          [&](const User&) { EXPECT_FALSE(is_free("p:eu")); });
  EXPECT_TRUE(by_getter(User{7, "eu"}));
  auto by_lambda = locked(
      client,
      {.key = [](const User& user) { return user.region + std::to_string(user.id); }},
      [&](const User&) { EXPECT_FALSE(is_free("eu7")); });
  User user{7, "eu"};
  EXPECT_TRUE(by_lambda(user));
}

TEST_F(LockedTest, LocksByAFormat) {
  auto move = locked(client, {.prefix = "MOVE", .key = "{1}:{0}{{}}"},
                     [&](int from, const char* to) {
                       EXPECT_FALSE(is_free("MOVE:b:3{}"));
                       return from + to[0];
                     });
  EXPECT_EQ(*move(3, "b"), 3 + 'b');
  auto next = locked(client, {.prefix = "N", .key = "{}-{}"},
                     [&](int, int) { EXPECT_FALSE(is_free("N:1-2")); });
  EXPECT_TRUE(next(1, 2));
  auto whole = locked(client, {.prefix = "ALL"}, [&] { return is_free("ALL"); });
  EXPECT_FALSE(*whole());
}

TEST_F(LockedTest, SaysWhyItDidNotCall) {
  Mutex taken(rival, "p:7");
  taken.lock();
  int calls = 0;
  auto handle =
      locked(client, {.prefix = "p", .key = &User::id, .wait = Timeout::zero()},
             [&](const User&) { return ++calls; });
  const auto busy = handle(User{7, ""});
  ASSERT_FALSE(busy);
  EXPECT_EQ(busy.error().code, Errc::timed_out);
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(*handle(User{8, ""}), 1);
}

TEST_F(LockedTest, RefusesKeysThatDoNotFit) {
  struct Mute {};
  const auto code = [&](const char* format) {
    return locked(client, {.prefix = "p", .key = format}, [](int, Mute) {})(1, Mute{})
        .error()
        .code;
  };
  for (const char* bad : {"{2}", "{1}", "{", "}", "{x}", "{}{}{}"}) {
    EXPECT_EQ(code(bad), Errc::bad_argument) << bad;
  }
  auto no_user = locked(client, {.prefix = "p", .key = &User::id}, [](int) {});
  EXPECT_EQ(no_user(1).error().code, Errc::bad_argument);
  auto no_name = locked(client, {.key = "{}"}, [](const std::string&) {});
  EXPECT_EQ(no_name(std::string()).error().code, Errc::bad_name);
}

TEST_F(LockedTest, Composes) {
  auto inner = locked(client, {.prefix = "in", .key = "{}"}, [&](int n) {
    EXPECT_FALSE(is_free("in:4"));
    EXPECT_FALSE(is_free("out:4"));
    return n * 2;
  });
  auto outer = locked(client, {.prefix = "out", .key = "{}"}, inner);
  const Result<int> flat = outer(4);
  EXPECT_EQ(*flat, 8);
  auto failing = locked(client, {.prefix = "f"},
                        []() -> Result<int> { return Errc::unsupported; });
  EXPECT_EQ(failing().error().code, Errc::unsupported);
}

TEST_F(LockedTest, HandsTheHoldToThoseWhoWantIt) {
  auto fenced = locked(client, {.prefix = "p", .key = "{}"},
                       [](const Hold& hold, int n) { return hold.token().value + n; });
  const auto first = *fenced(1);
  EXPECT_GT(*fenced(1), first);
  auto moves = locked(client, {.prefix = "m"},
                      [](std::unique_ptr<int> value) { return *value; });
  EXPECT_EQ(*moves(std::make_unique<int>(5)), 5);
}

}  // namespace
}  // namespace holdfast
