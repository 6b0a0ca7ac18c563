// SPDX-License-Identifier: Apache-2.0

#include "holdfast/execution.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "holdfast/counter.h"
#include "world.h"

namespace holdfast {
namespace {

using namespace std::chrono_literals;
using test::eventually;

// What a receiver was told.
struct Told {
  std::atomic<int> times{0};
  std::optional<Hold> hold = {};
  std::optional<Failure> failure = {};
  bool stopped = false;
};

struct Environment {
  stdexec::inplace_stop_token stop;
  auto query(stdexec::get_stop_token_t) const noexcept { return stop; }
};

struct Receiver {
  using receiver_concept = stdexec::receiver_t;
  Told* told;
  stdexec::inplace_stop_token stop = {};

  void set_value(Hold hold) noexcept {
    told->hold.emplace(std::move(hold));
    ++told->times;
  }
  void set_error(Failure why) noexcept {
    told->failure.emplace(std::move(why));
    ++told->times;
  }
  void set_stopped() noexcept {
    told->stopped = true;
    ++told->times;
  }
  Environment get_env() const noexcept { return {stop}; }
};

class ExecutionTest : public test::AdapterTest {
 protected:
  Told told;
};

TEST_F(ExecutionTest, APipelineHasTheLockAndGivesItBack) {
  FencingToken token;
  auto sell =
      as_sender(acquired(mutex, {.wait = 1min})) | stdexec::let_value([&](Hold& hold) {
        token = hold.token();
        return as_sender(released(std::move(hold)));
      });
  EXPECT_TRUE(stdexec::sync_wait(std::move(sell)));
  EXPECT_TRUE(token);
  EXPECT_TRUE(is_free());
}

TEST_F(ExecutionTest, AValueIsSent) {
  Counter counter(client, "stock");
  auto add = operation<Change>(
      [&](const auto&, auto done) { counter.add_async(2, std::move(done)); });
  auto sold = as_sender(std::move(add)) |
              stdexec::then([](const Change& change) { return change.after; });
  EXPECT_EQ(stdexec::sync_wait(std::move(sold)), std::tuple(std::int64_t{2}));
}

TEST_F(ExecutionTest, ManyPipelinesExcludeEachOther) {
  int inside = 0;
  int most = 0;
  const auto sell = [&] {
    return as_sender(acquired(mutex)) | stdexec::let_value([&](Hold& hold) {
             most = std::max(most, ++inside);
             --inside;
             return as_sender(released(std::move(hold)));
           });
  };
  EXPECT_TRUE(stdexec::sync_wait(stdexec::when_all(sell(), sell(), sell(), sell())));
  EXPECT_EQ(most, 1);
}

TEST_F(ExecutionTest, ATimeoutIsAnError) {
  const auto held = theirs.acquire();
  auto state =
      stdexec::connect(as_sender(acquired(mutex, {.wait = 1ms})), Receiver{&told});
  stdexec::start(state);
  ASSERT_TRUE(eventually([&] { return told.times == 1; }));
  ASSERT_TRUE(told.failure);
  EXPECT_EQ(*told.failure, Errc::timed_out);
}

TEST_F(ExecutionTest, TheReceiversStopTokenCancels) {
  auto held = theirs.acquire().value();
  stdexec::inplace_stop_source source;
  auto state =
      stdexec::connect(as_sender(acquired(mutex)), Receiver{&told, source.get_token()});
  stdexec::start(state);
  EXPECT_EQ(told.times, 0);
  source.request_stop();
  ASSERT_TRUE(eventually([&] { return told.times == 1; }));
  EXPECT_TRUE(told.stopped);
  EXPECT_TRUE(held.release());
  EXPECT_TRUE(is_free()) << "nothing of the call is left";
}

TEST_F(ExecutionTest, AStopBeforeTheStartCancelsToo) {
  stdexec::inplace_stop_source source;
  source.request_stop();
  auto state =
      stdexec::connect(as_sender(acquired(mutex)), Receiver{&told, source.get_token()});
  stdexec::start(state);
  ASSERT_TRUE(eventually([&] { return told.times == 1; }));
  EXPECT_TRUE(told.stopped);
}

TEST_F(ExecutionTest, TheStopTokenOfTheOptionsCancelsToo) {
  const auto held = theirs.acquire();
  std::stop_source source;
  const WaitOptions options{.stop = source.get_token()};
  auto state = stdexec::connect(as_sender(acquired(mutex, options)), Receiver{&told});
  stdexec::start(state);
  source.request_stop();
  ASSERT_TRUE(eventually([&] { return told.times == 1; }));
  EXPECT_TRUE(told.stopped);
}

TEST_F(ExecutionTest, AFailedBranchCancelsTheOthers) {
  auto held = theirs.acquire().value();
  Mutex other(client, "b");
  auto taken = Mutex(rival, "b").acquire().value();
  auto both = stdexec::when_all(as_sender(acquired(mutex)),
                                as_sender(acquired(other, {.wait = 1ms}))) |
              stdexec::then([](const Hold&, const Hold&) { return Errc{}; }) |
              stdexec::upon_error([](const auto& why) {
                if constexpr (std::is_same_v<std::decay_t<decltype(why)>, Failure>) {
                  return why == Errc::timed_out ? Errc::timed_out : Errc::internal;
                } else {
                  return Errc::internal;
                }
              });
  EXPECT_EQ(stdexec::sync_wait(std::move(both)), std::tuple(Errc::timed_out));
  EXPECT_TRUE(held.release());
  EXPECT_TRUE(is_free());
}

TEST_F(ExecutionTest, ACompletionThatIsDroppedIsAStop) {
  std::atomic<int> dropped{0};
  Client dropping =
      open({.executor = [&](const std::function<void()>&) { ++dropped; }});
  Mutex lock(dropping, "a");
  auto state = stdexec::connect(as_sender(acquired(lock)), Receiver{&told});
  stdexec::start(state);
  ASSERT_TRUE(eventually([&] { return told.times == 1; }));
  EXPECT_TRUE(told.stopped);
  EXPECT_TRUE(is_free());
}

TEST_F(ExecutionTest, ACallThatCannotBeStartedIsAnError) {
  auto refused = operation<Hold>(
      [](const auto&, const Completion<Hold>&) { throw std::bad_alloc(); });
  auto state = stdexec::connect(as_sender(std::move(refused)), Receiver{&told});
  stdexec::start(state);
  ASSERT_EQ(told.times, 1);
  ASSERT_TRUE(told.failure);
  EXPECT_EQ(*told.failure, Errc::full);
}

TEST_F(ExecutionTest, AClosedClientIsAnError) {
  const auto held = theirs.acquire();
  auto state = stdexec::connect(as_sender(acquired(mutex)), Receiver{&told});
  stdexec::start(state);
  client.close();
  ASSERT_EQ(told.times, 1);
  ASSERT_TRUE(told.failure);
  EXPECT_EQ(*told.failure, Errc::closed);
}

TEST_F(ExecutionTest, ASenderThatIsCopyableCanBeStartedTwice) {
  const auto sender = as_sender(acquired(mutex));
  for (int i = 0; i < 2; ++i) {
    auto sold = sender | stdexec::let_value([](Hold& hold) {
                  return as_sender(released(std::move(hold)));
                });
    EXPECT_TRUE(stdexec::sync_wait(std::move(sold)));
  }
}

}  // namespace
}  // namespace holdfast
