// SPDX-License-Identifier: Apache-2.0

#include "base/thread_pool.h"

#include <algorithm>
#include <deque>
#include <exception>
#include <thread>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "base/thread.h"
#include "holdfast/clock.h"

namespace holdfast::base {
namespace {

constexpr std::chrono::nanoseconds kLongestIdle = std::chrono::seconds(1);

}  // namespace

struct ThreadPool::State : std::enable_shared_from_this<ThreadPool::State> {
  struct Job {
    std::function<void()> task;
    Clock::time_point posted;
  };

  explicit State(const Options& with) noexcept : options(with) {}

  static thread_local const State* current;

  const Options options;
  Mutex mutex;
  CondVar changed;
  std::deque<Job> jobs HOLDFAST_GUARDED_BY(mutex);
  std::vector<std::thread> threads HOLDFAST_GUARDED_BY(mutex);
  std::size_t alive HOLDFAST_GUARDED_BY(mutex) = 0;
  std::size_t idle HOLDFAST_GUARDED_BY(mutex) =
      0;  // the living threads that wait for a job
  bool stopping HOLDFAST_GUARDED_BY(mutex) = false;

  // Makes sure that a thread is free to run the jobs. The system may refuse a new
  // thread; a busy thread then runs them later, if there is one.
  void staff() HOLDFAST_REQUIRES(mutex) {
    if (idle > 0 || alive == options.most) return;
    try {
      threads.reserve(threads.size() + 1);
      threads.push_back(
          start_thread(options.name, [self = shared_from_this()] { self->run(); }));
      ++alive;
      ++idle;
    } catch (const std::exception&) {
      return;
    }
  }

  // Returns how long the first job is left to the busy threads. Zero means that it is
  // taken now.
  std::chrono::nanoseconds patience_left() const HOLDFAST_REQUIRES(mutex) {
    if (alive == idle) return {};
    const auto waited = Clock::now() - jobs.front().posted;
    return std::max<std::chrono::nanoseconds>(options.patience - waited, {});
  }

  void run() {
    current = this;
    MutexLock lock(mutex);
    while (await_job(lock)) {
      // A working thread goes on with the next job, however young that is.
      --idle;
      while (!jobs.empty()) {
        std::function<void()> task = std::move(jobs.front().task);
        jobs.pop_front();
        if (!jobs.empty()) staff();
        lock.unlock();
        task();
        task = nullptr;  // Its destructor may do as much as the task itself.
        lock.lock();
      }
      ++idle;
      if (stopping) changed.notify_all();  // A thread may wait for a job that is taken.
    }
    leave();
  }

  // Returns false if the thread is not needed any more.
  bool await_job(MutexLock& lock) HOLDFAST_REQUIRES(mutex) {
    for (;;) {
      if (jobs.empty()) {
        if (stopping) return false;
        if (alive == 1) {
          changed.wait(lock);
          continue;
        }
        changed.wait_for(lock, kLongestIdle);
        if (jobs.empty() && idle > 1) return false;
        continue;
      }
      const auto left = patience_left();
      if (left.count() == 0) return true;
      changed.wait_for(lock, left);
    }
  }

  // A thread that ends while the pool lives on detaches its handle; a handle that
  // `stop` has taken is joined there.
  void leave() HOLDFAST_REQUIRES(mutex) {
    --idle;
    --alive;
    const auto own = std::find_if(threads.begin(), threads.end(), [](const auto& each) {
      return each.get_id() == std::this_thread::get_id();
    });
    if (own == threads.end()) return;
    own->detach();
    threads.erase(own);
  }
};

thread_local const ThreadPool::State* ThreadPool::State::current = nullptr;

ThreadPool::ThreadPool(const Options& options)
    : state_(std::make_shared<State>(options)) {}

ThreadPool::~ThreadPool() { stop(); }

bool ThreadPool::post(std::function<void()> task) {
  MutexLock lock(state_->mutex);
  if (state_->stopping) return false;
  state_->staff();
  if (state_->alive == 0) return false;
  state_->jobs.push_back({std::move(task), Clock::now()});
  if (state_->idle > 0) state_->changed.notify_one();
  return true;
}

void ThreadPool::stop() noexcept {
  const bool from_inside = inside();
  MutexLock lock(state_->mutex);
  state_->stopping = true;
  state_->changed.notify_all();
  while (!state_->threads.empty()) {
    auto threads = std::exchange(state_->threads, {});
    lock.unlock();
    for (std::thread& each : threads) {
      if (from_inside) {
        each.detach();
      } else {
        each.join();
      }
    }
    lock.lock();
  }
}

bool ThreadPool::inside() const noexcept { return State::current == state_.get(); }

}  // namespace holdfast::base
