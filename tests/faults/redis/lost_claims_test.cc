// SPDX-License-Identifier: Apache-2.0

// Claims of every kind whose calls are lost.

#include <gtest/gtest.h>

#include <ostream>

#include "conformance/claim_lock.h"
#include "faults/redis/lost_calls.h"

namespace holdfast::test {
namespace {

using engine::Claim;
using engine::Granted;
using engine::Kind;
using engine::Mode;

struct ClaimScene {
  Kind kind;
  Claim like;
  std::string name;
};
void PrintTo(const ClaimScene& scene, std::ostream* out) { *out << scene.name; }

class LostClaims : public RedisLostCalls,
                   public testing::WithParamInterface<ClaimScene> {
 protected:
  void everywhere(const Scene& scene) {
    test::everywhere(calls_, GetParam().kind, [&](const std::string& name) {
      scene(name);
      if (GetParam().kind != Kind::semaphore) return;
      EXPECT_EQ(server_.command({"GET", name}), "1") << "permits that are free";
      server_.command({"DEL", name});  // it outlives them
    });
  }
};

TEST_P(LostClaims, AreTakenChangedRenewedAndDropped) {
  const Client client = open();
  everywhere([&](const std::string& name) {
    const auto resource = client.session().bind({GetParam().kind, name}).value();
    const engine::Waker signal = client.session().signal();
    Claim claim = GetParam().like;
    claim.ticket = next_ticket();
    const auto verdict =
        persist([&](auto until) { return resource->attempt(claim, signal, until); });
    ASSERT_TRUE(verdict) << verdict.error().message();
    ASSERT_TRUE(std::holds_alternative<Granted>(*verdict));
    Claim wanted = claim;
    wanted.payload = "changed";
    const auto amended =
        persist([&](auto until) { return resource->amend(claim, wanted, until); });
    ASSERT_TRUE(amended) << amended.error().message();
    EXPECT_EQ(amended->token, std::get<Granted>(*verdict).token);
    engine::ClaimRef ref{resource.get(), &wanted};
    const auto renewed = persist([&](auto until) -> Result<void> {
      auto sent = client.session().renew({&ref, 1}, until);
      if (!sent) return sent;
      if (ref.outcome) return Failure(ref.outcome);
      return {};
    });
    ASSERT_TRUE(renewed) << renewed.error().message();
    const auto entries =
        persist([&](auto until) { return resource->survey(9, until); }).value();
    ASSERT_EQ(entries.size(), 1u);
    EXPECT_EQ(entries[0].payload, "changed");
    const auto dropped =
        persist([&](auto until) { return resource->drop(wanted, until); });
    if (!dropped) {
      EXPECT_EQ(dropped.error().code, Errc::not_held);
    }
  });
}

class LostWaits : public LostClaims {};

TEST_P(LostWaits, GetIn) {
  const Client first = open();
  const Client second = open();
  everywhere([&](const std::string& name) {
    const auto held = first.session().bind({GetParam().kind, name}).value();
    const auto wanted = second.session().bind({GetParam().kind, name}).value();
    const engine::Waker signal = second.session().signal();
    Claim holder = GetParam().like;
    Claim waiter = GetParam().like;
    holder.ticket = next_ticket();
    waiter.ticket = next_ticket();
    const auto attempt = [&](engine::Resource& resource, const Claim& claim) {
      const auto verdict =
          persist([&](auto until) { return resource.attempt(claim, signal, until); });
      return verdict && std::holds_alternative<Granted>(*verdict);
    };
    const auto drop = [&](engine::Resource& resource, const Claim& claim) {
      (void)persist([&](auto until) { return resource.drop(claim, until); });
    };
    EXPECT_TRUE(attempt(*held, holder));
    EXPECT_FALSE(attempt(*wanted, waiter));
    drop(*held, holder);
    EXPECT_TRUE(attempt(*wanted, waiter));
    drop(*wanted, waiter);
  });
}

const ClaimScene kScenes[] = {
    {Kind::mutex, {}, "mutex"},
    {Kind::fair_mutex, {}, "fair_mutex"},
    {Kind::shared_mutex, {}, "writer"},
    {Kind::semaphore, {.capacity = 1}, "semaphore"},
    {Kind::election, {}, "election"},
    // These do not keep each other out.
    {Kind::shared_mutex, {.mode = Mode::shared}, "reader"},
    {Kind::double_barrier, {.capacity = 1}, "barrier"},
};
constexpr std::size_t kExclusive = 5;

std::string name_of(const testing::TestParamInfo<ClaimScene>& scene) {
  return scene.param.name;
}

INSTANTIATE_TEST_SUITE_P(, LostClaims, testing::ValuesIn(kScenes), name_of);
INSTANTIATE_TEST_SUITE_P(, LostWaits,
                         testing::ValuesIn(std::begin(kScenes),
                                           std::begin(kScenes) + kExclusive),
                         name_of);

// A drop leaves a tombstone for as long as a lost attempt may still arrive.
TEST_F(RedisLostCalls, LeaveATicketInDoubtForAWhile) {
  const Client client = open();
  const auto resource = client.session().bind({engine::Kind::mutex, "a"}).value();
  const auto record_after = [&](bool later) {
    const engine::Claim claim{.ticket = next_ticket()};
    line_.lose_replies(1);
    EXPECT_FALSE(resource->attempt(claim, nullptr, soon()));
    EXPECT_EQ(server_.command({"EXISTS", "a"}), "1") << "it was carried out";
    if (later) {
      Clock::set_source([]() noexcept {
        const auto now = std::chrono::steady_clock::now().time_since_epoch();
        return Clock::time_point(now) + std::chrono::hours(1000);
      });
    }
    EXPECT_TRUE(
        persist([&](engine::Deadline end) { return resource->drop(claim, end); }));
    Clock::set_source(nullptr);
    return RedisSocket(server_.port()).call({"KEYS", "holdfast:{a}:*"}).items.size();
  };
  EXPECT_EQ(record_after(false), 1u) << "the tombstone";
  server_.command({"FLUSHALL"});
  EXPECT_EQ(record_after(true), 0u) << "no packet is so late";
}

}  // namespace
}  // namespace holdfast::test
