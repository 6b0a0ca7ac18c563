// SPDX-License-Identifier: Apache-2.0

// A claim that names its token is granted with that token, or not at all.

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <variant>

#include "conformance/claim_lock.h"
#include "conformance/conformance.h"

namespace holdfast::test {
namespace {

using engine::Claim;
using engine::Granted;
using engine::Kind;
using engine::Mode;
using engine::TokenBehind;
using engine::Verdict;

constexpr Kind kKinds[] = {Kind::mutex, Kind::shared_mutex, Kind::election};

// Returns a token so far ahead of the clock.
FencingToken ahead(std::chrono::microseconds span) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto then = std::chrono::floor<std::chrono::microseconds>(now) + span;
  return {static_cast<std::uint64_t>(then.count())};
}

// Returns the first token for a case with several kinds. An engine may count the tokens
// of all names together, so those of each kind are above those of the kind before.
FencingToken first_token(Kind kind) {
  return ahead(std::chrono::seconds(1 + static_cast<int>(kind)));
}

FencingToken after(FencingToken token, std::uint64_t by) { return {token.value + by}; }

class NamedTokens : public Conformance {
 protected:
  void SetUp() override {
    Conformance::SetUp();
    client_.emplace(open());
  }

  std::shared_ptr<engine::Resource> bind(Kind kind) {
    return client_->session().bind(address(kind)).value();
  }
  engine::Address address(Kind kind) const {
    return {kind, name(std::to_string(static_cast<int>(kind)))};
  }
  std::size_t claims(Kind kind) { return survey(*client_, address(kind)).size(); }

  static Claim claim(FencingToken token, Mode mode = Mode::exclusive,
                     std::uint32_t tokens = 1) {
    return {.ticket = next_ticket(), .tokens = tokens, .token = token, .mode = mode};
  }
  static Result<Verdict> attempt(engine::Resource& resource, const Claim& claim) {
    return resource.attempt(claim, nullptr, soon());
  }

  // Returns the token of the grant, or none.
  static FencingToken granted(engine::Resource& resource, const Claim& claim) {
    const auto verdict = attempt(resource, claim).value();
    const auto* const grant = std::get_if<Granted>(&verdict);
    return grant != nullptr ? grant->token : FencingToken{};
  }

  // Returns the last token, if the claim names one that does not exceed it.
  static FencingToken behind(engine::Resource& resource, const Claim& claim) {
    const auto verdict = attempt(resource, claim).value();
    const auto* const refused = std::get_if<TokenBehind>(&verdict);
    return refused != nullptr ? refused->last : FencingToken{};
  }

 private:
  std::optional<Client> client_;
};

HOLDFAST_CONFORMANCE(NamedTokens);

TEST_P(NamedTokens, AreThoseOfTheGrant) {
  for (const Kind kind : kKinds) {
    const auto resource = bind(kind);
    const auto wanted = claim(first_token(kind), Mode::exclusive, 10);
    for (int repeat = 0; repeat < 2; ++repeat) {
      const auto grant = std::get<Granted>(attempt(*resource, wanted).value());
      EXPECT_EQ(grant.token, wanted.token);
      EXPECT_EQ(grant.tokens, 10u);
    }
    EXPECT_EQ(claims(kind), 1u);
    EXPECT_TRUE(resource->drop(wanted, soon()));
  }
}

TEST_P(NamedTokens, AreAboveAllBefore) {
  for (const Kind kind : kKinds) {
    const auto resource = bind(kind);
    const auto first = claim(first_token(kind), Mode::exclusive, 10);
    ASSERT_TRUE(granted(*resource, first));
    ASSERT_TRUE(resource->drop(first, soon()));

    const FencingToken last = after(first.token, 9);
    EXPECT_EQ(behind(*resource, claim(first.token)), last);
    EXPECT_EQ(behind(*resource, claim(last)), last);
    EXPECT_EQ(claims(kind), 0u) << "a refused token leaves no claim";
    const auto next = claim(after(last, 1));
    EXPECT_EQ(granted(*resource, next), next.token);
    EXPECT_TRUE(resource->drop(next, soon()));
  }
}

TEST_P(NamedTokens, AreBelowAllThatAreChosenLater) {
  const auto resource = bind(Kind::mutex);
  const auto named = claim(ahead(std::chrono::seconds(1)), Mode::exclusive, 10);
  ASSERT_TRUE(granted(*resource, named));
  ASSERT_TRUE(resource->drop(named, soon()));
  const auto chosen = claim({});
  const FencingToken token = granted(*resource, chosen);
  EXPECT_GT(token, after(named.token, 9));
  ASSERT_TRUE(resource->drop(chosen, soon()));
  EXPECT_EQ(behind(*resource, claim(token)), token);
}

TEST_P(NamedTokens, OfReadersMayBeTheSame) {
  const auto resource = bind(Kind::shared_mutex);
  const auto writer = claim(ahead(std::chrono::seconds(1)));
  ASSERT_TRUE(granted(*resource, writer));
  ASSERT_TRUE(resource->drop(writer, soon()));

  const FencingToken token = after(writer.token, 5);
  const auto first = claim(token, Mode::shared);
  const auto second = claim(token, Mode::shared);
  EXPECT_TRUE(behind(*resource, claim({writer.token.value - 1}, Mode::shared)));
  EXPECT_EQ(granted(*resource, first), token);
  EXPECT_EQ(granted(*resource, second), token);
  EXPECT_TRUE(resource->drop(first, soon()));
  EXPECT_TRUE(resource->drop(second, soon()));

  EXPECT_EQ(behind(*resource, claim(token)), token);
  EXPECT_TRUE(granted(*resource, claim(after(token, 1))));
}

TEST_P(NamedTokens, DoNotTakeALockThatIsHeld) {
  for (const Kind kind : kKinds) {
    const auto resource = bind(kind);
    const auto holder = claim(first_token(kind));
    ASSERT_TRUE(granted(*resource, holder));
    EXPECT_FALSE(granted(*resource, claim(after(holder.token, 1))));
    EXPECT_EQ(claims(kind), 1u);
    ASSERT_TRUE(resource->drop(holder, soon()));
    EXPECT_TRUE(granted(*resource, claim(after(holder.token, 1))))
        << "a blocked claim has not used its token up";
  }
}

// The last token is ahead of those that the engine would choose by its clock.
TEST_P(NamedTokens, AreTheOnlyOnesThatCanBeBehind) {
  for (const Kind kind : kKinds) {
    const auto resource = bind(kind);
    const auto named = claim(first_token(kind), Mode::exclusive, 10);
    ASSERT_TRUE(granted(*resource, named));
    for (const Mode mode : {Mode::exclusive, Mode::shared}) {
      const auto blocked = attempt(*resource, claim({}, mode)).value();
      EXPECT_TRUE(std::holds_alternative<engine::Blocked>(blocked));
    }
    ASSERT_TRUE(resource->drop(named, soon()));
    for (const Mode mode : {Mode::exclusive, Mode::shared}) {
      const auto free = claim({}, mode);
      EXPECT_TRUE(granted(*resource, free));
      EXPECT_TRUE(resource->drop(free, soon()));
    }
  }
}

TEST_P(NamedTokens, AreNotFarAheadOfTheClock) {
  const auto resource = bind(Kind::mutex);
  const auto refused = attempt(*resource, claim(ahead(std::chrono::hours(2))));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(), Errc::bad_argument) << refused.error().message();
  EXPECT_TRUE(granted(*resource, claim(ahead(std::chrono::minutes(50)))));
}

}  // namespace
}  // namespace holdfast::test
