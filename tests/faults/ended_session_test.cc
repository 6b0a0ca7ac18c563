// SPDX-License-Identifier: Apache-2.0

// A session may be ended from outside while its process lives. Whatever ended it, the
// process notices, and does not take the next session in its slot for its own.

#include <gtest/gtest.h>
#include <linux/futex.h>

#include <string>
#include <thread>

#include "faults/segment_map.h"
#include "holdfast/client.h"
#include "holdfast/counter.h"
#include "holdfast/engine/session.h"
#include "holdfast/mutex.h"
#include "holdfast/shared_mutex.h"
#include "support/eventually.h"
#include "support/temp_dir.h"
#include "support/victim.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

class EndedSession : public testing::Test {
 protected:
  void end_session() {
    const SegmentMap segment(dir_.file("segment"));
    segment.slot(1).gone.store(1);
    segment.slot(1).liveness.fetch_or(FUTEX_OWNER_DIED);
    Victim(url_).kill();  // Opening the segment has reaped the ended session.
  }

  TempDir dir_;
  const std::string url_ = "local://" + dir_.file("segment");
  const Client client_ = Client::open(url_).value();
};

TEST_F(EndedSession, LosesItsHolds) {
  Mutex plain(client_, "plain");
  SharedMutex queued(client_, "queued");
  const auto one = plain.acquire();
  const auto two = queued.acquire_shared();
  ASSERT_TRUE(one && two);
  const auto first = one->lost();
  const auto second = two->lost();
  end_session();
  EXPECT_TRUE(eventually([&] { return first.stop_requested(); }, scaled(5s)));
  EXPECT_TRUE(eventually([&] { return second.stop_requested(); }, scaled(5s)));
}

TEST_F(EndedSession, IsClosed) {
  Mutex mutex(client_, "m");
  SharedMutex shared(client_, "s");
  Counter counter(client_, "c");
  ASSERT_TRUE(counter.add(1));
  end_session();
  EXPECT_EQ(mutex.acquire({.wait = Timeout::zero()}).error().code, Errc::closed);
  EXPECT_EQ(shared.acquire({.wait = Timeout::zero()}).error().code, Errc::closed);
  EXPECT_EQ(counter.add(1).error().code, Errc::closed);
}

TEST_F(EndedSession, WakesItsWaiters) {
  Victim holder(url_);
  ASSERT_EQ(holder.ask("lock m"), "ok");
  Mutex mutex(client_, "m");
  std::thread ender([&] {
    const Client observer = Client::open(url_).value();
    const auto m = observer.session().bind({engine::Kind::mutex, "m"}).value();
    EXPECT_TRUE(eventually([&] {
      const auto seen = m->survey(10, Clock::now() + patience());
      return seen && seen->size() == 2;
    }));
    end_session();
  });
  EXPECT_EQ(mutex.acquire({.wait = patience()}).error().code, Errc::closed);
  ender.join();
}

TEST_F(EndedSession, IsNotTakenForTheNextSessionInItsSlot) {
  Mutex mutex(client_, "m");
  end_session();
  Victim next(url_);  // It gets the first slot, and starts with the same ticket.
  ASSERT_EQ(next.ask("lock m"), "ok");
  EXPECT_FALSE(mutex.acquire({.wait = Timeout::zero()}));
  mutex.unlock();
  EXPECT_TRUE(is_error(Victim(url_).ask("try m"), Errc::timed_out));
  next.process().close_stdin();
  EXPECT_EQ(next.process().wait(), 0) << "the older liveness thread has taken its stop";
}

}  // namespace
}  // namespace holdfast::test
