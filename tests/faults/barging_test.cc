// SPDX-License-Identifier: Apache-2.0

// A mutex that is released may be taken by a thread that runs before the head of its
// queue has come. What is awake, late or due is decided by times in the record, which
// the test sets, so that it need not be quick.

#include "engines/local/barging.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "faults/segment_map.h"
#include "holdfast/client.h"
#include "holdfast/engine/session.h"
#include "holdfast/mutex.h"
#include "support/eventually.h"
#include "support/temp_dir.h"
#include "support/victim.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using engine::Kind;

constexpr std::uint32_t kOneSecond = 1'000'000;  // in us, as the record counts

class Barging : public testing::Test {
 protected:
  // A claim of a session of its own, over the waist.
  class Caller {
   public:
    Caller(const Client& client, Kind kind, std::uint64_t ticket)
        : lock_(client.session().bind({kind, "n"}).value()),
          waker_(client.session().signal()) {
      claim_.ticket = engine::Ticket{ticket};
    }
    // These return whether the claim is granted.
    bool try_lock() { return attempt(nullptr); }
    bool wait_for_lock() { return attempt(waker_); }
    bool unlock() { return lock_->drop(claim_, engine::Deadline::max()).has_value(); }
    engine::Signal& signal() { return *waker_; }
    std::uint64_t token() const { return token_; }

   private:
    bool attempt(const engine::Waker& waker) {
      const auto verdict = lock_->attempt(claim_, waker, engine::Deadline::max());
      if (!verdict) throw Error(verdict.error());
      const auto* const granted = std::get_if<engine::Granted>(&*verdict);
      if (granted != nullptr) token_ = granted->token.value;
      return granted != nullptr;
    }

    std::shared_ptr<engine::Resource> lock_;
    engine::Waker waker_;
    engine::Claim claim_;
    std::uint64_t token_ = 0;
  };

  Caller caller(Kind kind = Kind::mutex) { return {client_, kind, ++last_ticket_}; }

  local::Record& record() { return segment_.record("n"); }
  bool is_open() { return (record().word.load() & local::kOpen) != 0; }
  void head_waits_for(std::uint32_t us) {
    record().head_since.store(local::boot_time_us() - us);
  }

  // Releases the lock as if its head had only just begun to wait. On a busy machine it
  // may be due all the same; then it gets the lock, and all begins again.
  void free_for_head(Caller& holder, Caller& head) {
    ASSERT_TRUE(eventually([&] {
      if (!holder.try_lock() || head.wait_for_lock()) return false;
      head_waits_for(0);
      if (!holder.unlock()) return false;
      if (is_open()) return true;
      if (head.wait_for_lock()) (void)head.unlock();
      return false;
    }));
  }

  TempDir dir_;
  const std::string url_ = "local://" + dir_.file("segment");
  const Client client_ = Client::open(url_).value();
  const SegmentMap segment_{dir_.file("segment")};
  std::uint64_t last_ticket_ = 1000;
};

TEST_F(Barging, ARunningThreadTakesALockThatWaitsForItsHead) {
  auto holder = caller();
  auto head = caller();
  auto newcomer = caller();
  free_for_head(holder, head);
  ASSERT_TRUE(newcomer.try_lock());
  EXPECT_GT(newcomer.token(), holder.token());
  EXPECT_FALSE(head.wait_for_lock());
  EXPECT_TRUE(newcomer.unlock());
  EXPECT_TRUE(head.wait_for_lock());
  EXPECT_GT(head.token(), newcomer.token());
  EXPECT_TRUE(head.unlock());
}

TEST_F(Barging, AHeadThatIsDueGetsTheLockAtTheNextRelease) {
  auto holder = caller();
  auto head = caller();
  auto newcomer = caller();
  free_for_head(holder, head);
  ASSERT_TRUE(newcomer.try_lock());
  head_waits_for(kOneSecond);
  EXPECT_TRUE(newcomer.unlock());
  EXPECT_FALSE(is_open());
  EXPECT_FALSE(holder.try_lock());
  EXPECT_TRUE(head.wait_for_lock());
  EXPECT_TRUE(head.unlock());
}

TEST_F(Barging, AHeadThatGoesToSleepIsRungByTheNextRelease) {
  auto holder = caller();
  auto head = caller();
  auto newcomer = caller();
  free_for_head(holder, head);
  ASSERT_TRUE(newcomer.try_lock());
  head.signal().wait(Clock::now());
  ASSERT_FALSE(head.wait_for_lock());
  EXPECT_FALSE(is_open()) << "no release would ring the head";
  EXPECT_TRUE(newcomer.unlock());
  head.signal().wait(Clock::now() + patience());
  EXPECT_TRUE(head.wait_for_lock());
  EXPECT_TRUE(head.unlock());
}

TEST_F(Barging, AHeadThatLeavesMakesRoomForTheNext) {
  auto holder = caller();
  auto head = caller();
  auto next = caller();
  ASSERT_TRUE(holder.try_lock());
  ASSERT_FALSE(head.wait_for_lock());
  ASSERT_FALSE(next.wait_for_lock());
  head_waits_for(0);
  ASSERT_TRUE(holder.unlock());
  ASSERT_TRUE(head.unlock());
  const auto start = Clock::now();
  next.signal().wait(start + patience());
  EXPECT_LT(Clock::now() - start, patience()) << "the next waiter was not rung";
  EXPECT_TRUE(next.wait_for_lock());
  EXPECT_TRUE(next.unlock());
}

// The process that freed the lock was killed before it rang the head.
TEST_F(Barging, AHeadThatWasNotRungIsRungByItsOwnProcess) {
  auto holder = caller();
  auto head = caller();
  free_for_head(holder, head);
  head.signal().wait(Clock::now());  // This is the ring that was lost.
  const auto start = Clock::now();
  head.signal().wait(start + patience());
  EXPECT_LT(Clock::now() - start, patience());
  EXPECT_TRUE(head.wait_for_lock());
  EXPECT_TRUE(head.unlock());
}

TEST_F(Barging, AnOfferThatIsNotAcceptedPassesToTheNextWaiter) {
  auto holder = caller();
  auto absent = caller();
  auto next = caller();
  ASSERT_TRUE(holder.try_lock());
  ASSERT_FALSE(absent.wait_for_lock());
  ASSERT_FALSE(next.wait_for_lock());
  head_waits_for(kOneSecond);
  ASSERT_TRUE(holder.unlock());
  EXPECT_FALSE(holder.try_lock()) << "it belongs to the claim that it was offered to";
  ASSERT_TRUE(eventually([&] {
    next.signal().wait(Clock::now() + 1s);
    return next.wait_for_lock();
  }));
  EXPECT_FALSE(absent.wait_for_lock()) << "the lock has been taken meanwhile";
  ASSERT_TRUE(next.unlock());
  EXPECT_TRUE(eventually([&] { return absent.wait_for_lock(); }));
  EXPECT_GT(absent.token(), next.token());
  EXPECT_TRUE(absent.unlock());
  EXPECT_EQ(record().first.load(), 0U);
}

TEST_F(Barging, AClaimThatWasPassedOverCanBeDropped) {
  auto holder = caller();
  auto absent = caller();
  ASSERT_TRUE(holder.try_lock());
  ASSERT_FALSE(absent.wait_for_lock());
  head_waits_for(kOneSecond);
  ASSERT_TRUE(holder.unlock());
  record().offered_since.store(local::boot_time_us() - kOneSecond);
  ASSERT_TRUE(holder.try_lock()) << "a claim that does not wait may pass it, too";
  EXPECT_TRUE(absent.unlock());
  EXPECT_TRUE(holder.unlock());
  EXPECT_TRUE(absent.try_lock());
  EXPECT_TRUE(absent.unlock());
}

TEST_F(Barging, NoMutexPassesAFairOne) {
  auto holder = caller();
  auto first = caller();
  auto fair = caller(Kind::fair_mutex);
  auto newcomer = caller();
  ASSERT_TRUE(holder.try_lock());
  ASSERT_FALSE(first.wait_for_lock());
  ASSERT_FALSE(fair.wait_for_lock());
  ASSERT_TRUE(holder.unlock());
  EXPECT_FALSE(newcomer.try_lock());
  EXPECT_FALSE(fair.wait_for_lock());
  EXPECT_TRUE(first.wait_for_lock());
  ASSERT_TRUE(first.unlock());
  EXPECT_FALSE(newcomer.try_lock());
  EXPECT_TRUE(fair.wait_for_lock());
  EXPECT_TRUE(fair.unlock());
  EXPECT_TRUE(newcomer.try_lock());
  EXPECT_TRUE(newcomer.unlock());
}

// The victim is stopped while it waits. It keeps out neither those that run nor those
// that wait, and it gets the lock when it goes on.
TEST_F(Barging, AStoppedWaiterNeitherKeepsOthersOutNorLosesItsTurn) {
  Victim stopped(url_);
  Mutex mutex(client_, "n");
  auto hold = mutex.acquire();
  ASSERT_TRUE(hold);
  stopped.tell("lock n");
  ASSERT_TRUE(eventually([&] { return record().first.load() != 0; }));
  stopped.stop();
  ASSERT_TRUE(hold->release());
  for (int i = 0; i < 3; ++i) {
    Mutex again(client_, "n");
    const auto next = again.acquire({.wait = patience()});
    ASSERT_TRUE(next) << next.error().message();
  }
  stopped.go_on();
  EXPECT_EQ(stopped.answer(), "ok");
}

// A process is killed while it holds a lock that it took before the head.
TEST_F(Barging, AKilledHolderLeavesTheLockToTheHead) {
  Victim killed(url_);
  auto holder = caller();
  auto head = caller();
  free_for_head(holder, head);
  ASSERT_EQ(killed.ask("lock n"), "ok");
  ASSERT_FALSE(head.wait_for_lock());
  killed.kill();
  EXPECT_TRUE(eventually([&] {
    head.signal().wait(Clock::now() + 100ms);
    return head.wait_for_lock();
  }));
  EXPECT_TRUE(head.unlock());
}

}  // namespace
}  // namespace holdfast::test
