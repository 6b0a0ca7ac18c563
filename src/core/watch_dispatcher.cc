// SPDX-License-Identifier: Apache-2.0

#include "core/watch_dispatcher.h"

#include <algorithm>
#include <exception>
#include <thread>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "base/thread.h"
#include "base/time_left.h"
#include "core/subscriber.h"

namespace holdfast::core {

// Each subscriber has a signal of its own, so that a ring tells which of them is due.
struct WatchDispatcher::State : std::enable_shared_from_this<WatchDispatcher::State> {
  class WatchSignal final : public engine::Signal {
   public:
    WatchSignal(std::weak_ptr<State> state, const Subscriber* subscriber) noexcept
        : state_(std::move(state)), subscriber_(subscriber) {}
    void ring() noexcept override {
      if (const auto state = state_.lock()) state->rung(*subscriber_);
    }
    void wait(engine::Deadline) noexcept override {}

   private:
    const std::weak_ptr<State> state_;
    const Subscriber* const subscriber_;
  };

  struct Entry {
    std::shared_ptr<Subscriber> subscriber;
    engine::Waker waker;
  };

  base::Mutex mutex;
  base::CondVar changed;
  std::vector<Entry> entries HOLDFAST_GUARDED_BY(mutex);
  const Subscriber* running HOLDFAST_GUARDED_BY(mutex) = nullptr;
  bool stopping HOLDFAST_GUARDED_BY(mutex) = false;
  std::thread thread HOLDFAST_GUARDED_BY(mutex);

  auto find(const Subscriber& subscriber) HOLDFAST_REQUIRES(mutex) {
    return std::find_if(entries.begin(), entries.end(), [&](const Entry& entry) {
      return entry.subscriber.get() == &subscriber;
    });
  }

  void rung(const Subscriber& subscriber) noexcept {
    base::MutexLock lock(mutex);
    const auto entry = find(subscriber);
    if (entry == entries.end()) return;
    entry->subscriber->rung = true;
    changed.notify_all();
  }

  void run() {
    base::MutexLock lock(mutex);
    while (!stopping) {
      const auto now = Clock::now();
      const auto next = std::min_element(
          entries.begin(), entries.end(), [](const Entry& one, const Entry& other) {
            return when(*one.subscriber) < when(*other.subscriber);
          });
      const auto due =
          next != entries.end() ? when(*next->subscriber) : now + kLongestNap;
      if (due > now) {
        changed.wait_for(lock, base::time_left(due, kLongestNap));
        continue;
      }
      Entry entry = *next;
      entry.subscriber->rung = false;
      running = entry.subscriber.get();
      lock.unlock();
      const auto again = entry.subscriber->look(entry.waker);
      lock.lock();
      entry.subscriber->due = again;
      running = nullptr;
      changed.notify_all();
      lock.unlock();
      entry = {};  // may destroy the subscriber and its watch, so not under the mutex
      lock.lock();
    }
  }

  // The condition variable does not count the time that the host sleeps, so it is never
  // trusted for longer than this.
  static constexpr Clock::duration kLongestNap = std::chrono::seconds(1);

  static Clock::time_point when(const Subscriber& subscriber) noexcept {
    return subscriber.rung ? Clock::time_point::min() : subscriber.due;
  }
};

WatchDispatcher::WatchDispatcher() : state_(std::make_shared<State>()) {}
WatchDispatcher::~WatchDispatcher() { stop(); }

bool WatchDispatcher::add(std::shared_ptr<Subscriber> subscriber) {
  auto waker = std::make_shared<State::WatchSignal>(state_, subscriber.get());
  base::MutexLock lock(state_->mutex);
  if (state_->stopping) return true;
  if (!state_->thread.joinable()) {
    try {
      state_->thread =
          base::start_thread("hf-dispatcher", [state = state_] { state->run(); });
    } catch (const std::exception&) {
      return false;
    }
  }
  state_->entries.push_back({std::move(subscriber), std::move(waker)});
  state_->changed.notify_all();
  return true;
}

void WatchDispatcher::remove(const Subscriber& subscriber) noexcept {
  State::Entry removed;
  base::MutexLock lock(state_->mutex);
  const auto entry = state_->find(subscriber);
  if (entry != state_->entries.end()) {
    removed = std::move(*entry);
    state_->entries.erase(entry);
  }
  const bool by_itself = state_->thread.get_id() == std::this_thread::get_id();
  while (state_->running == &subscriber && !by_itself) state_->changed.wait(lock);
  lock.unlock();
  removed = {};
  lock.lock();
}

void WatchDispatcher::stop() noexcept {
  std::thread thread;
  std::vector<State::Entry> entries;
  {
    base::MutexLock lock(state_->mutex);
    state_->stopping = true;
    thread = std::move(state_->thread);
    entries.swap(state_->entries);
    state_->changed.notify_all();
  }
  if (!thread.joinable()) return;
  if (thread.get_id() == std::this_thread::get_id()) {
    thread.detach();
  } else {
    thread.join();
  }
}

}  // namespace holdfast::core
