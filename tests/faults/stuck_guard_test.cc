// SPDX-License-Identifier: Apache-2.0

// A process was stopped inside a guard. No call can be made to stop there, so the test
// writes the guard's word itself.

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "faults/segment_map.h"
#include "holdfast/client.h"
#include "holdfast/engine/session.h"
#include "support/temp_dir.h"
#include "support/victim.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

class StuckGuard : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(stopped_.ask("lock n"), "ok");
    stopped_.stop();
  }

  local::SessionId inside() const { return segment_.slot(1).id.load(); }

  // Expects a failure within a few seconds, whose sentence names the process.
  void expect_refused(const std::function<Result<void>()>& call) const {
    const auto start = Clock::now();
    const auto answer = call();
    EXPECT_LT(Clock::now() - start, scaled(10s));
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, Errc::unavailable);
    EXPECT_NE(answer.error().message().find("process "), std::string::npos)
        << answer.error().message();
  }

  TempDir dir_;
  const std::string url_ = "local://" + dir_.file("segment");
  Victim stopped_{url_};  // in the first slot
  const Client client_ = Client::open(url_).value();
  const SegmentMap segment_{dir_.file("segment")};
};

TEST_F(StuckGuard, OfTheHeaderNewNamesAreRefused) {
  segment_.header().guard.store(inside());
  expect_refused([&]() -> Result<void> {
    const auto bound = client_.session().bind({engine::Kind::mutex, "new"});
    if (!bound) return bound.error();
    return {};
  });
}

TEST_F(StuckGuard, OfARecordAttemptsAreRefusedWhateverTheirDeadline) {
  const auto resource =
      client_.session().bind({engine::Kind::shared_mutex, "s"}).value();
  auto& record = segment_.record("s");
  record.word.fetch_or(local::kQueued);
  record.guard.store(inside());
  engine::Claim claim;
  claim.ticket = engine::Ticket{1000};
  expect_refused([&]() -> Result<void> {
    const auto verdict = resource->attempt(claim, nullptr, engine::Deadline::max());
    if (!verdict) return verdict.error();
    return {};
  });
  expect_refused([&]() -> Result<void> {
    const auto seen = resource->survey(10, engine::Deadline::max());
    if (!seen) return seen.error();
    return {};
  });
}

TEST_F(StuckGuard, IsTakenOverWhenThatProcessIsKilled) {
  segment_.header().guard.store(inside());
  stopped_.kill();
  EXPECT_TRUE(client_.session().bind({engine::Kind::mutex, "new"}));
}

}  // namespace
}  // namespace holdfast::test
