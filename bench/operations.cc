// SPDX-License-Identifier: Apache-2.0

#include "operations.h"

#include <optional>

#include "holdfast/holdfast.h"

namespace holdfast::bench {
namespace {

// A Stand has one object of each primitive, and what the last operation has acquired.
struct Stand {
  explicit Stand(const Client& client)
      : mutex(client, "counts/mutex"),
        recursive(client, "counts/recursive"),
        fair(client, "counts/fair"),
        shared(client, "counts/shared"),
        semaphore(client, "counts/semaphore", 5),
        latch(client, "counts/latch"),
        open_latch(client, "counts/open-latch"),
        barrier(client, "counts/barrier"),
        double_barrier(client, "counts/double-barrier", 1),
        counter(client, "counts/counter"),
        shared_count(client, "counts/shared-count"),
        election(client, "counts/election"),
        multi(client, {"counts/1", "counts/2", "counts/3"}) {
    latch.set_count(1'000'000).value();
  }

  Mutex mutex;
  RecursiveMutex recursive;
  FairMutex fair;
  SharedMutex shared;
  Semaphore semaphore;
  Latch latch;
  Latch open_latch;
  Barrier barrier;
  DoubleBarrier double_barrier;
  Counter counter;
  SharedCount shared_count;
  Election election;
  MultiLock multi;

  std::optional<SharedHold> hold;
  std::optional<Permits> permits;
  Versioned seen;
};

constexpr auto kNothing = [] {};

using Operations = std::vector<Operation>;

// Adds `lock` and `unlock` of one side, each as an operation.
template <class Lock, class Unlock>
void add_lock(Operations& all, std::string_view lock_name, std::string_view unlock_name,
              Lock lock, Unlock unlock) {
  all.push_back({lock_name, kNothing, lock, unlock});
  all.push_back({unlock_name, lock, unlock, kNothing});
}

void add_locks(Operations& all, const std::shared_ptr<Stand>& on) {
  add_lock(
      all, "Mutex: lock", "Mutex: unlock", [on] { on->mutex.lock(); },
      [on] { on->mutex.unlock(); });
  all.push_back({"RecursiveMutex: lock and unlock again",
                 [on] { on->recursive.lock(); },
                 [on] {
                   on->recursive.lock();
                   on->recursive.unlock();
                 },
                 [on] { on->recursive.unlock(); }, 0});
  add_lock(
      all, "FairMutex: lock", "FairMutex: unlock", [on] { on->fair.lock(); },
      [on] { on->fair.unlock(); });
  add_lock(
      all, "SharedMutex: lock_shared", "SharedMutex: unlock_shared",
      [on] { on->shared.lock_shared(); }, [on] { on->shared.unlock_shared(); });
  add_lock(
      all, "SharedMutex: lock", "SharedMutex: unlock", [on] { on->shared.lock(); },
      [on] { on->shared.unlock(); });
  all.push_back({"SharedMutex: downgrade",
                 [on] { on->hold = on->shared.acquire().value(); },
                 [on] { on->hold->downgrade().value(); }, [on] { on->hold.reset(); }});
  add_lock(
      all, "Semaphore: acquire", "Semaphore: release",
      [on] { on->permits = on->semaphore.acquire().value(); },
      [on] { on->permits.reset(); });
  all.push_back({"MultiLock of three: lock", kNothing, [on] { on->multi.lock(); },
                 [on] { on->multi.unlock(); }, 3});
  all.push_back({"MultiLock of three: unlock", [on] { on->multi.lock(); },
                 [on] { on->multi.unlock(); }, kNothing, 3});
}

void add_meetings(Operations& all, const std::shared_ptr<Stand>& on) {
  all.push_back({"Latch: count_down", kNothing,
                 [on] { on->latch.count_down().value(); }, kNothing});
  all.push_back({"Latch: wait, open", kNothing, [on] { on->open_latch.wait().value(); },
                 kNothing});
  all.push_back({"Barrier: set", kNothing, [on] { on->barrier.set().value(); },
                 [on] { on->barrier.remove().value(); }});
  all.push_back({"Barrier: remove", [on] { on->barrier.set().value(); },
                 [on] { on->barrier.remove().value(); }, kNothing});
  all.push_back({"Barrier: wait, open", kNothing, [on] { on->barrier.wait().value(); },
                 kNothing});
  const auto enter = [on] { on->double_barrier.enter().value(); };
  const auto leave = [on] { on->double_barrier.leave().value(); };
  all.push_back({"DoubleBarrier of one: enter", kNothing, enter, leave});
  all.push_back({"DoubleBarrier of one: leave", enter, leave, kNothing, 2});
  const auto campaign = [on] { on->election.campaign().value(); };
  const auto resign = [on] { on->election.resign().value(); };
  all.push_back({"Election: campaign", kNothing, campaign, resign});
  all.push_back(
      {"Election: leader", campaign, [on] { on->election.leader().value(); }, resign});
  all.push_back({"Election: resign", campaign, resign, kNothing});
}

void add_numbers(Operations& all, const std::shared_ptr<Stand>& on) {
  const auto reset = [on] { on->counter.exchange(1).value(); };
  all.push_back({"Counter: get", reset, [on] { on->counter.get().value(); }, kNothing});
  all.push_back(
      {"Counter: add", reset, [on] { on->counter.add(1).value(); }, kNothing});
  all.push_back({"Counter: compare_exchange", reset,
                 [on] { on->counter.compare_exchange(1, 2).value(); }, kNothing});
  all.push_back(
      {"Counter: update", reset,
       [on] { on->counter.update([](std::int64_t n) { return n + 1; }).value(); },
       kNothing, 2});
  const auto look = [on] { on->seen = on->shared_count.get().value(); };
  all.push_back({"SharedCount: get", kNothing, look, kNothing});
  all.push_back({"SharedCount: compare_exchange", look,
                 [on] { on->shared_count.compare_exchange(on->seen, 7).value(); },
                 kNothing});
}

}  // namespace

std::vector<Operation> operations(const Client& client) {
  const auto stand = std::make_shared<Stand>(client);
  std::vector<Operation> all;
  add_locks(all, stand);
  add_meetings(all, stand);
  add_numbers(all, stand);
  return all;
}

}  // namespace holdfast::bench
