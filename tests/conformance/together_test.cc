// Several claims in one step: all of them or none.

#include <gtest/gtest.h>

#include "conformance/claim_lock.h"
#include "conformance/conformance.h"

namespace holdfast::test {
namespace {

class Together : public Conformance {
 protected:
  engine::Address address(std::string_view text) const {
    return {engine::Kind::mutex, name(text)};
  }
};

HOLDFAST_CONFORMANCE(Together);

TEST_P(Together, AllAreGrantedOrNoneIs) {
  const Client client = open();
  engine::Session& session = client.session();
  const auto a = session.bind(address("a")).value();
  const auto b = session.bind(address("b")).value();
  const engine::Claim first{.ticket = next_ticket()};
  const engine::Claim second{.ticket = next_ticket()};
  engine::Stake stakes[] = {{a.get(), &first}, {b.get(), &second}};
  const auto verdict = session.attempt_all(stakes, nullptr, soon());
  if (!verdict) {
    EXPECT_EQ(verdict.error().code, Errc::unsupported);
    EXPECT_TRUE(survey(client, address("a")).empty());
    EXPECT_TRUE(survey(client, address("b")).empty());
    return;
  }
  ASSERT_TRUE(std::holds_alternative<engine::Granted>(*verdict));
  EXPECT_TRUE(stakes[0].granted.token);
  EXPECT_TRUE(stakes[1].granted.token);
  EXPECT_TRUE(a->drop(first, soon()));
  EXPECT_TRUE(b->drop(second, soon()));
}

TEST_P(Together, OneThatIsTakenKeepsAllOut) {
  ClaimLock holder(open(), address("b"));
  ASSERT_TRUE(holder.begin());
  const Client client = open();
  engine::Session& session = client.session();
  const auto a = session.bind(address("a")).value();
  const auto b = session.bind(address("b")).value();
  const engine::Claim first{.ticket = next_ticket()};
  const engine::Claim second{.ticket = next_ticket()};
  engine::Stake stakes[] = {{a.get(), &first}, {b.get(), &second}};
  const auto verdict = session.attempt_all(stakes, nullptr, soon());
  if (verdict) {
    EXPECT_TRUE(std::holds_alternative<engine::Blocked>(*verdict));
  } else {
    EXPECT_EQ(verdict.error().code, Errc::unsupported);
  }
  EXPECT_TRUE(survey(client, address("a")).empty());
  EXPECT_EQ(survey(client, address("b")).size(), 1u);
}

}  // namespace
}  // namespace holdfast::test
