// SPDX-License-Identifier: Apache-2.0

// Boost.Asio of any version: what needs no cancellation slot.

#define HOLDFAST_BOOST_ASIO
#include <future>
#include <optional>
#include <utility>
//
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>

#include "holdfast/asio.h"
#include "holdfast/coroutine.h"
#include "world.h"

namespace holdfast {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

class BoostAsioTest : public test::AdapterTest {
 protected:
  asio::io_context io;
};

TEST_F(BoostAsioTest, CompletesOnTheHandlersExecutor) {
  std::optional<Result<Hold>> outcome;
  async_acquire(mutex, {},
                asio::bind_executor(io.get_executor(), [&](Result<Hold> hold) {
                  EXPECT_TRUE(io.get_executor().running_in_this_thread());
                  outcome.emplace(std::move(hold));
                }));
  EXPECT_FALSE(outcome);
  io.run();
  ASSERT_TRUE(outcome);
  EXPECT_TRUE(*outcome);
}

// One file may use both headers.
TEST_F(BoostAsioTest, LeavesWithHoldToTheTasksOfCoroutines) {
  std::promise<Result<int>> sold;
  run(with_hold(mutex, {},
                [](Hold& hold) -> Task<int> { co_return hold.valid() ? 3 : 0; }),
      [&](Result<int> result) { sold.set_value(std::move(result)); });
  EXPECT_EQ(sold.get_future().get().value(), 3);
}

TEST_F(BoostAsioTest, TheStopTokenCancels) {
  auto held = theirs.acquire();
  std::stop_source stop;
  auto coming = async_acquire(mutex, {.stop = stop.get_token()}, asio::use_future);
  stop.request_stop();
  EXPECT_EQ(coming.get().error(), Errc::cancelled);
}

}  // namespace
}  // namespace holdfast
