// SPDX-License-Identifier: Apache-2.0

#include "engines/kit/session.h"

#include <gtest/gtest.h>

namespace holdfast::kit {
namespace {

// It makes no resources, and remembers which were asked for.
struct SessionGround {
  std::vector<std::string> bound = {};

  std::vector<std::string> warnings() const { return {"It may forget."}; }
  std::vector<engine::ServerDescription> descriptions() const { return {{"here", {}}}; }
};
engine::Traits traits_of(const SessionGround&, engine::Kind kind) noexcept {
  return {.supported = kind == engine::Kind::mutex};
}
Result<std::shared_ptr<engine::Resource>> make_resource(
    const std::shared_ptr<SessionGround>& ground, const engine::Address& address) {
  ground->bound.push_back(address.name);
  return Errc::full;
}
Result<void> renew_all(SessionGround&, std::span<engine::ClaimRef> refs,
                       engine::Deadline) {
  for (engine::ClaimRef& ref : refs) ref.outcome = make_error_code(Errc::not_held);
  return Errc::unavailable;
}
Result<engine::Page> list_names(SessionGround&, std::string_view prefix,
                                std::string_view from, engine::Deadline) {
  return engine::Page{{{engine::Kind::mutex, std::string(prefix)}}, std::string(from)};
}

TEST(KitSessionTest, HandsEveryCallOn) {
  Session<SessionGround> session(std::make_shared<SessionGround>());
  EXPECT_TRUE(session.traits(engine::Kind::mutex).supported);
  EXPECT_FALSE(session.traits(engine::Kind::counter).supported);
  engine::Claim claim;
  std::vector<engine::ClaimRef> refs{{nullptr, &claim}};
  EXPECT_EQ(session.renew(refs, {}).error().code, Errc::unavailable);
  EXPECT_EQ(refs[0].outcome, Errc::not_held);
  const auto page = session.list("a", "b", {});
  EXPECT_EQ(page->addresses[0].name, "a");
  EXPECT_EQ(page->next, "b");
  EXPECT_EQ(session.warnings(), std::vector<std::string>{"It may forget."});
  EXPECT_EQ(session.servers()[0].server, "here");
}

TEST(KitSessionTest, RefusesNamesThatAreNotGood) {
  const auto ground = std::make_shared<SessionGround>();
  Session<SessionGround> session(ground);
  EXPECT_EQ(session.bind({engine::Kind::mutex, ""}).error().code, Errc::bad_name);
  EXPECT_EQ(session.bind({engine::Kind::mutex, "a"}).error().code, Errc::full);
  EXPECT_EQ(ground->bound, std::vector<std::string>{"a"});
}

TEST(KitSessionTest, ANameMoreThanAPageHasBeginsTheNextPage) {
  engine::Page page;
  for (std::size_t i = 1; i <= kPage; ++i) {
    add_to(page, {engine::Kind::mutex, std::to_string(i)});
  }
  EXPECT_EQ(page.next, "");
  add_to(page, {engine::Kind::mutex, "one more"});
  EXPECT_EQ(page.addresses.size(), kPage);
  EXPECT_EQ(page.next, std::to_string(kPage));
}

}  // namespace
}  // namespace holdfast::kit
