// SPDX-License-Identifier: Apache-2.0

// A semaphore that states another capacity than the stored one warns of it.

#include "holdfast/semaphore.h"

#include <gtest/gtest.h>

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "support/awaited.h"
#include "world.h"

namespace holdfast {
namespace {

class CapacityWarningTest : public testing::Test {
 protected:
  CapacityWarningTest() {
    EXPECT_TRUE(Semaphore(client_, "a").init_permits(20).value());
  }

  // Closes the client, which logs what is still to be logged, and returns the lines.
  std::vector<std::string> lines() {
    client_.close();
    const std::lock_guard lock(mutex_);
    return lines_;
  }
  const Client& client() const noexcept { return client_; }

  const std::shared_ptr<test::FakeWorld> world_ = test::make_world(test::Sort::leased);

 private:
  Client open() {
    ClientOptions options;
    options.log = [this](LogLevel level, std::string_view line) {
      EXPECT_EQ(level, LogLevel::warning);
      const std::lock_guard lock(mutex_);
      lines_.emplace_back(line);
    };
    return Client::over(std::make_unique<test::FakeEngine>(world_), options).value();
  }

  std::mutex mutex_;
  std::vector<std::string> lines_;
  Client client_ = open();
};

TEST_F(CapacityWarningTest, NamesTheSemaphoreAndBothNumbersAndSaysWhatToDo) {
  EXPECT_TRUE(Semaphore(client(), "a", 9).acquire());
  EXPECT_EQ(lines(),
            std::vector<std::string>(
                {"\"a\" has 20 permits, not 9: use 20, or set another number for all "
                 "clients with Semaphore::set_permits or `holdfast semaphore`"}));
}

TEST_F(CapacityWarningTest, CostsNoCall) {
  Semaphore same(client(), "a", 20);
  Semaphore other(client(), "a", 9);
  const int registers = world_->calls.registers;
  for (Semaphore* const each : {&same, &other}) {
    const int attempts = world_->calls.attempt;
    auto one = each->acquire().value();
    auto two = test::awaited<Permits>([&](auto done) {
                 each->acquire_async({}, std::move(done));
               }).value();
    EXPECT_EQ(world_->calls.attempt, attempts + 2);
  }
  EXPECT_EQ(world_->calls.registers, registers);
  EXPECT_EQ(world_->calls.survey, 0);
  EXPECT_EQ(lines().size(), 1u);
}

TEST_F(CapacityWarningTest, ComesOnceHoweverManyTakeAtOnce) {
  Semaphore other(client(), "a", 9);
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&] { EXPECT_TRUE(other.acquire()); });
    }
  }
  EXPECT_EQ(lines().size(), 1u);
}

TEST_F(CapacityWarningTest, DoesNotComeOfWhatTheObjectItselfHasSet) {
  Semaphore semaphore(client(), "a", 9);
  EXPECT_TRUE(semaphore.set_permits(30));
  EXPECT_TRUE(semaphore.acquire());
  EXPECT_TRUE(test::awaited<void>(
      [&](auto done) { semaphore.set_permits_async(40, std::move(done)); }));
  EXPECT_TRUE(semaphore.acquire());
  EXPECT_TRUE(lines().empty());
}

TEST_F(CapacityWarningTest, ComesOfACallThatOutlivesTheSemaphore) {
  EXPECT_TRUE(test::awaited<Permits>([&](auto done) {
    Semaphore(client(), "a", 9).acquire_async({}, std::move(done));
  }));
  EXPECT_EQ(lines().size(), 1u);
}

TEST_F(CapacityWarningTest, DoesNotComeOfAClaimThatIsRefused) {
  const auto refused = Semaphore(client(), "a", 30).acquire_many(21);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::bad_argument);
  EXPECT_TRUE(lines().empty()) << "the error says it";
}

}  // namespace
}  // namespace holdfast
