// SPDX-License-Identifier: Apache-2.0

#include "faults/storm.h"

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "faults/ground.h"
#include "holdfast/counter.h"
#include "holdfast/mutex.h"
#include "holdfast/semaphore.h"
#include "holdfast/shared_mutex.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

// Expects that the holders whose holds are valid never weigh more than the house bears.
class House {
 public:
  explicit House(std::uint32_t bears) : bears_(bears) {}

  void visit(const Hold& hold, std::uint32_t weight = 1) {
    {
      const std::lock_guard lock(mutex_);
      guests_[&hold] = weight;
      std::uint32_t sum = 0;
      for (const auto& [guest, each] : guests_) sum += guest->valid() ? each : 0;
      EXPECT_LE(sum, bears_) << "too many hold it at once";
      ++visits_;
    }
    std::this_thread::sleep_for(1ms);
    const std::lock_guard lock(mutex_);
    guests_.erase(&hold);
  }
  int visits() const {
    const std::lock_guard lock(mutex_);
    return visits_;
  }

 private:
  const std::uint32_t bears_;
  mutable std::mutex mutex_;
  std::map<const Hold*, std::uint32_t> guests_;
  int visits_ = 0;
};

// The lease is so short that some of them end.
std::chrono::milliseconds ttl() { return scaled(1s); }

void fail(FaultProxy& line, std::mt19937& random) {
  switch (random() % 7) {
    case 0:
      return line.cut_all();
    case 1:
      return line.lose_replies(1 + static_cast<int>(random() % 3));
    case 2:
      return line.lose_requests(1 + static_cast<int>(random() % 3));
    case 3:
      return line.freeze_present();
    case 4:
      line.unreachable(true);
      std::this_thread::sleep_for(ttl() * (random() % 3) / 2);
      return line.unreachable(false);
    default:
      return line.thaw();
  }
}

using Work = std::function<void(const Client&)>;  // runs in several threads at once

// Runs `work` in a storm, and then until the work has gone on for a while without one.
void blow(const BadLine& on, const Work& work, const std::function<int()>& done) {
  std::atomic<bool> over{false};
  std::vector<std::jthread> threads;
  for (int i = 0; i < 3; ++i) {
    const Client client = i == 0 ? on.open_directly(ttl()) : on.open(ttl());
    for (int j = 0; j < 2; ++j) {
      threads.emplace_back([&, client] {
        while (!over) work(client);
      });
    }
  }
  std::mt19937 random = seeded();
  for (const auto end = Clock::now() + scaled(5s); Clock::now() < end;) {
    fail(on.line, random);
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % 50));
  }
  on.line.lose_replies(0);
  on.line.thaw();
  const int before = done();
  EXPECT_TRUE(eventually([&] { return done() > before + 50; }))
      << "the work does not go on after the storm";
  over = true;
}

}  // namespace

void a_mutex_has_one_holder(const BadLine& on) {
  House house(1);
  blow(
      on,
      [&](const Client& client) {
        const auto hold = Mutex(client, "a").acquire({.wait = ttl()});
        if (hold) house.visit(*hold);
      },
      [&] { return house.visits(); });
}

void a_writer_is_alone(const BadLine& on) {
  constexpr std::uint32_t kAll = 100;
  House house(kAll);
  blow(
      on,
      [&](const Client& client) {
        thread_local unsigned turn = 0;
        SharedMutex mutex(client, "a");
        const bool reads = ++turn % 3 != 0;
        const auto hold = reads ? mutex.acquire_shared({.wait = ttl()})
                                : mutex.acquire({.wait = ttl()});
        if (hold) house.visit(*hold, reads ? 1 : kAll);
      },
      [&] { return house.visits(); });
}

void a_semaphore_has_no_more_than_its_permits(const BadLine& on) {
  House house(3);
  blow(
      on,
      [&](const Client& client) {
        thread_local unsigned turn = 0;
        Semaphore semaphore(client, "a", 3);
        const auto permits = semaphore.acquire_many(1 + ++turn % 2, {.wait = ttl()});
        if (permits) house.visit(*permits, permits->count());
      },
      [&] { return house.visits(); });
}

void no_add_is_forgotten_or_made_twice(const BadLine& on) {
  std::atomic<int> sure{0};
  std::atomic<int> unsure{0};
  blow(
      on,
      [&](const Client& client) { ++(Counter(client, "n").add(1) ? sure : unsure); },
      [&] { return sure.load(); });
  const std::int64_t sum = Counter(on.open_directly(scaled(30s)), "n").get().value();
  EXPECT_GE(sum, sure);
  EXPECT_LE(sum, sure + unsure);
}

}  // namespace holdfast::test
