// SPDX-License-Identifier: Apache-2.0

// Kills a process before every single store that it makes into the segment, scene by
// scene. The next process must find a complete state: every lock can be acquired, every
// register has its old or its new value, and every block is where it belongs.

#include <gtest/gtest.h>

#include <csignal>
#include <map>
#include <memory>
#include <string>

#include "base/uri.h"
#include "engines/local/engine.h"
#include "faults/crash_points/audit.h"
#include "faults/crash_points/fresh_heads.h"
#include "holdfast/clock.h"
#include "support/eventually.h"
#include "support/process.h"
#include "support/temp_dir.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using namespace holdfast::engine;

constexpr auto kNever = Deadline::max();
constexpr int kTooMany = 2000;

class CrashPoints : public testing::Test {
 protected:
  struct Player {
    std::unique_ptr<Session> session;
    std::uint64_t last_ticket = 0;
  };

  Player open() {
    auto engine =
        std::move(*local::make_engine(base::parse_uri("local://" + path_).value()));
    SessionOptions options;
    options.client = {9};
    return {engine->open(options).value(), 0};
  }

  Process victim(const std::string& scene, int store) {
    return Process({CRASH_VICTIM, path_, scene, std::to_string(store)});
  }

  static std::shared_ptr<Resource> bind(Player& player, Kind kind,
                                        const std::string& name) {
    return player.session->bind({kind, name}).value();
  }

  // Expects that a claim on `name` is granted now or soon, and drops it again.
  void expect_free(Player& player, Kind kind, const std::string& name) {
    const auto lock = bind(player, kind, name);
    const Claim claim{.ticket = Ticket{++player.last_ticket}, .capacity = 3};
    const auto waker = player.session->signal();
    const auto end = Clock::now() + patience();
    auto verdict = lock->attempt(claim, waker, kNever);
    while (verdict && std::holds_alternative<Blocked>(*verdict) && Clock::now() < end) {
      waker->wait(Clock::now() + 100ms);
      verdict = lock->attempt(claim, waker, kNever);
    }
    ASSERT_TRUE(verdict) << name << ": " << verdict.error().message();
    ASSERT_TRUE(std::holds_alternative<Granted>(*verdict)) << name << " is stuck";
    auto& highest = highest_[name];
    const auto token = std::get<Granted>(*verdict).token.value;
    EXPECT_GT(token, highest) << name;
    highest = token;
    EXPECT_TRUE(lock->drop(claim, kNever)) << name;
  }

  // Expects that a claim that waits is granted soon. Drops it and lets go of the lock.
  static void expect_grant(std::shared_ptr<Resource>& lock, const Claim& waiting,
                           Waker& waker) {
    EXPECT_TRUE(eventually([&] {
      const auto verdict = lock->attempt(waiting, waker, kNever);
      return verdict && std::holds_alternative<Granted>(*verdict);
    }));
    EXPECT_TRUE(lock->drop(waiting, kNever));
    lock.reset();
    waker.reset();
  }

  // Audits the segment when every session but `player`'s has been reaped.
  void expect_whole(Player& player) {
    Player helper = open();  // A session that joins reaps those that have ended.
    helper.session.reset();
    const auto segment = local::Segment::open({path_, {}}).value();
    std::string fault;
    EXPECT_TRUE(eventually([&] { return (fault = audit(*segment)).empty(); }, 2s))
        << fault;
    (void)player;
  }

  // Plays the scene with a crash before store 1, 2, ... until the victim survives it.
  // around(player, process) does what the scene needs, and after(player) checks the
  // state.
  template <class Around, class After>
  void play(const std::string& scene, Around&& around, After&& after) {
    int store = 1;
    for (; store < kTooMany; ++store) {
      SCOPED_TRACE(scene + ", killed before store " + std::to_string(store));
      store_ = store;
      Player player = open();
      auto process = victim(scene, store);
      around(player, process);
      const auto ended = process.wait();
      ASSERT_TRUE(ended.has_value()) << "the victim hangs";
      ASSERT_TRUE(*ended == 0 || *ended == 128 + SIGKILL) << *ended;
      after(player);
      expect_whole(player);
      if (HasFailure()) return;
      if (*ended == 0) break;
    }
    EXPECT_GT(store, 1) << "the scene makes no store";
    EXPECT_LT(store, kTooMany);
    RecordProperty("stores", store - 1);
  }

  template <class After>
  void play(const std::string& scene, After&& after) {
    play(
        scene, [](Player&, Process&) {}, after);
  }

  TempDir folder_;
  std::string path_ = folder_.file("segment");
  std::map<std::string, std::uint64_t> highest_;
  int store_ = 0;  // The victim is killed before this store.
};

TEST_F(CrashPoints, PlainLock) {
  play("plain", [&](Player& p) { expect_free(p, Kind::mutex, "plain"); });
}

TEST_F(CrashPoints, LeasedLockWithPayload) {
  play("leased", [&](Player& p) { expect_free(p, Kind::mutex, "leased"); });
}

TEST_F(CrashPoints, Waiter) {
  const Claim held{.ticket = Ticket{1000}};
  play(
      "wait",
      [&](Player& p, Process& process) {
        ASSERT_EQ(process.read_line(), "ready");
        bind(p, Kind::mutex, "wait")->attempt(held, nullptr, kNever).value();
        process.write_line("go");
      },
      [&](Player& p) {
        EXPECT_TRUE(bind(p, Kind::mutex, "wait")->drop(held, kNever));
        expect_free(p, Kind::mutex, "wait");
      });
}

class HandOver : public CrashPoints {
 protected:
  // A claim of the test waits behind the victim's and must be granted, whatever happens
  // to the victim.
  void play_waiting(const std::string& scene, Kind kind, const std::string& name,
                    Mode mode) {
    const Claim waiting{.ticket = Ticket{1000}, .mode = mode};
    Waker waker;
    std::shared_ptr<Resource> lock;
    play(
        scene,
        [&](Player& p, Process& process) {
          ASSERT_EQ(process.read_line(), "ready");
          lock = bind(p, kind, name);
          waker = p.session->signal();
          const auto verdict = lock->attempt(waiting, waker, kNever).value();
          ASSERT_TRUE(std::holds_alternative<Blocked>(verdict));
          process.write_line("go");
        },
        [&](Player&) { expect_grant(lock, waiting, waker); });
  }
};

TEST_F(HandOver, FromAPlainOwner) {
  play_waiting("hand_over_plain", Kind::mutex, "hand over", Mode::exclusive);
}

TEST_F(HandOver, ToAHeadThatIsRung) {
  play_waiting("free_for_head", Kind::mutex, "hand over", Mode::exclusive);
}

TEST_F(HandOver, FromALeasedOwner) {
  play_waiting("hand_over_leased", Kind::mutex, "hand over", Mode::exclusive);
}

TEST_F(HandOver, ByDowngrade) {
  play_waiting("downgrade", Kind::shared_mutex, "downgrade", Mode::shared);
}

// The victim takes the lock while a claim of the test waits for it.
TEST_F(CrashPoints, Barging) {
  const Claim held{.ticket = Ticket{1000}};
  const Claim waiting{.ticket = Ticket{1001}};
  Waker waker;
  std::shared_ptr<Resource> lock;
  play(
      "barge",
      [&](Player& p, Process& process) {
        ASSERT_EQ(process.read_line(), "ready");
        lock = bind(p, Kind::mutex, "barge");
        waker = p.session->signal();
        lock->attempt(held, nullptr, kNever).value();
        lock->attempt(waiting, waker, kNever).value();
        make_heads_fresh(path_);
        ASSERT_TRUE(lock->drop(held, kNever));
        process.write_line("go");
      },
      [&](Player&) { expect_grant(lock, waiting, waker); });
}

TEST_F(CrashPoints, WaitingAsHead) {
  const Claim held{.ticket = Ticket{1000}};
  play(
      "head",
      [&](Player& p, Process& process) {
        ASSERT_EQ(process.read_line(), "ready");
        const auto lock = bind(p, Kind::mutex, "head");
        lock->attempt(held, nullptr, kNever).value();
        process.write_line("go");
        (void)process.read_line();  // There is none if the victim was killed before.
        EXPECT_TRUE(lock->drop(held, kNever));
        process.write_line("go");
      },
      [&](Player& p) { expect_free(p, Kind::mutex, "head"); });
}

TEST_F(CrashPoints, Register) {
  std::int64_t before = 0;
  play("count", [&](Player& p) {
    const auto now = bind(p, Kind::counter, "count")->load(kNever).value();
    EXPECT_GE(now.number, before);
    EXPECT_LE(now.number, before + 3);
    before = now.number;
  });
  EXPECT_GT(before, 3);
}

TEST_F(CrashPoints, RegisterErased) {
  std::uint64_t version = 0;
  play("erase", [&](Player& p) {
    const auto counter = bind(p, Kind::counter, "erase");
    const auto now = counter->load(kNever).value();
    EXPECT_TRUE(now.version == 0 || now.number == 5) << now.number;
    if (now.version != 0) {
      EXPECT_GT(now.version, version);
      version = now.version;
      EXPECT_TRUE(counter->exchange(now, std::nullopt, Ticket::none, kNever)->done);
    }
  });
}

TEST_F(CrashPoints, Watch) {
  play("watch", [&](Player& p) {
    EXPECT_TRUE(bind(p, Kind::counter, "count")->add(1, Ticket::none, kNever));
  });
}

TEST_F(CrashPoints, NewNamesAndGrowth) {
  {
    Player p = open();  // This leaves little room, so that the victim has to grow it.
    for (int i = 0; i < 320; ++i) {
      const auto lock = bind(p, Kind::counter, "old name " + std::to_string(i));
      if (i % 2 == 0) (void)lock->add(1, Ticket::none, kNever);
    }
  }
  play("names", [&](Player& p) {
    const std::string fresh = "new name " + std::to_string(store_) + " ";
    for (int i = 0; i < 6; ++i) {
      expect_free(p, Kind::mutex, fresh + std::to_string(i));
    }
  });
}

TEST_F(CrashPoints, Eviction) {
  const Claim held{.ticket = Ticket{1000}};
  play(
      "evict",
      [&](Player& p, Process& process) {
        ASSERT_EQ(process.read_line(), "ready");
        bind(p, Kind::mutex, "evict")->attempt(held, nullptr, kNever).value();
        process.write_line("go");
      },
      [&](Player& p) {
        (void)bind(p, Kind::mutex, "evict")->drop(held, kNever);
        expect_free(p, Kind::mutex, "evict");
      });
}

TEST_F(CrashPoints, LeavingTheSegment) {
  play("leave", [&](Player& p) {
    expect_free(p, Kind::mutex, "leave");
    expect_free(p, Kind::semaphore, "leave too");
  });
}

TEST_F(CrashPoints, ReapingAnEndedSession) {
  int store = 1;
  for (; store < kTooMany; ++store) {
    SCOPED_TRACE("reaper killed before store " + std::to_string(store));
    ASSERT_EQ(victim("leave_everything", 1 << 30).wait(), 128 + SIGKILL);
    const auto ended = victim("reap", store).wait();
    ASSERT_TRUE(ended.has_value()) << "the reaper hangs";
    Player player = open();
    expect_free(player, Kind::mutex, "left plain");
    expect_free(player, Kind::semaphore, "left permits");
    expect_whole(player);
    if (HasFailure()) return;
    if (*ended == 0) break;
  }
  EXPECT_GT(store, 10);
  EXPECT_LT(store, kTooMany);
}

}  // namespace
}  // namespace holdfast::test
