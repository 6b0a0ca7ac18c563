// SPDX-License-Identifier: Apache-2.0

#include "core/runner.h"

#include <exception>
#include <utility>

#include "base/log.h"
#include "base/thread.h"
#include "base/time_left.h"

namespace holdfast::core {
namespace {

thread_local const Runner* runner_of_this_thread = nullptr;

// At most this many steps are taken before their requests are flushed, so that the
// server is not left idle, however many tasks there are.
constexpr int kMostTogether = 64;

[[noreturn]] void end_for_a_throw(const char* what) noexcept {
  base::log_to_stderr(LogLevel::error,
                      std::string("a completion of an asynchronous call threw an "
                                  "exception, which it must not do on the client's "
                                  "runner: ") +
                          what + "; catch it there, or use ClientOptions::executor");
  std::terminate();
}

void call_completion(Task& task) noexcept {
  try {
    task.complete();
  } catch (const std::exception& error) {
    end_for_a_throw(error.what());
  } catch (...) {
    end_for_a_throw("it is no std::exception");
  }
}

void post_completion(const Executor& executor, std::shared_ptr<Task> task) {
  executor(Delivery(std::move(task)));
}

}  // namespace

Task::~Task() = default;

void Task::ring() noexcept { runner_->rung(*this); }

Runner::Runner(Executor executor)
    : executor_(std::move(executor)),
      workers_({.name = "hf-async", .most = kMostWorkers, .patience = {}}) {}

Runner::~Runner() {
  if (thread_.joinable()) {
    if (inside()) {
      thread_.detach();
    } else {
      thread_.join();
    }
  }
}

bool Runner::inside() const noexcept { return runner_of_this_thread == this; }
bool Runner::is_current() noexcept { return runner_of_this_thread != nullptr; }

void Runner::start(const std::shared_ptr<Task>& task) {
  base::MutexLock lock(mutex_);
  timers_.reserve(tasks_ + 1);  // so that no task is without a place there later
  if (ensure_thread()) {
    task->runner_ = shared_from_this();
    task->self_ = task;
    task->state_ = Task::State::stepping;
    ++tasks_;
    lock.unlock();
    const auto first = task->begin(task->self_);
    lock.lock();
    return first ? settle(*task, *first) : make_ready(*task);
  }
  lock.unlock();
  fail(task);
  lock.lock();
}

void Runner::fail(const std::shared_ptr<Task>& task) const noexcept {
  task->fail({Errc::full,
              "the system has no thread for asynchronous calls: raise the "
              "limit of threads, or use the blocking form"});
  if (executor_) {
    post_completion(executor_, task);
  } else {
    call_completion(*task);
  }
}

void Runner::complete_without_runner(const std::shared_ptr<Task>& task,
                                     const Executor& executor) noexcept {
  if (executor) return post_completion(executor, task);
  try {
    base::start_thread("hf-async", [task] { call_completion(*task); }).detach();
  } catch (const std::exception&) {  // the system has no thread
    call_completion(*task);
  }
}

// The thread of an earlier drain has ended, or is about to.
bool Runner::ensure_thread() noexcept {
  if (running_) return true;
  try {
    if (thread_.joinable()) thread_.detach();
    thread_ =
        base::start_thread("hf-runner", [self = shared_from_this()] { self->run(); });
    running_ = true;
  } catch (const std::exception&) {
  }
  return running_;
}

void Runner::run() noexcept {
  runner_of_this_thread = this;
  base::MutexLock lock(mutex_);
  while (await_work(lock)) {
    const TaskList steps = ready_.take_all();
    lock.unlock();
    run_steps(steps);
    lock.lock();
    TaskList done = done_.take_all();
    lock.unlock();
    while (!done.empty()) complete(done.pop());
    lock.lock();
  }
  running_ = false;
  changed_.notify_all();
}

void Runner::run_steps(TaskList tasks) noexcept {
  while (!tasks.empty()) {
    const base::Cork cork;
    for (int i = 0; i < kMostTogether && !tasks.empty(); ++i) take_step(tasks.pop());
  }
}

// Returns false when the thread is not needed any more.
bool Runner::await_work(base::MutexLock& lock) {
  for (;;) {
    wake_those_due();
    if (!ready_.empty() || !done_.empty()) return true;
    if (draining_ && tasks_ == 0) return false;
    const Time due = timers_.next_due();
    if (due == Time::max()) {
      changed_.wait(lock);
    } else {
      // The condition variable does not count the time that the host sleeps.
      changed_.wait_for(lock, base::time_left(due, std::chrono::seconds(1)));
    }
  }
}

// Tasks may be ready all the time, so the timers are checked on every round, not only
// when no task is ready.
void Runner::wake_those_due() noexcept {
  if (timers_.empty()) return;
  const Time now = Clock::now();
  while (timers_.next_due() <= now) make_ready(timers_.first());
}

void Runner::rung(Task& task) noexcept {
  base::MutexLock lock(mutex_);
  if (task.state_ == Task::State::sleeping) {
    make_ready(task);
  } else if (task.state_ == Task::State::stepping) {
    task.state_ = Task::State::rung;
  }
}

// A task whose steps may wait goes to a worker. Without one, the runner takes the step.
void Runner::make_ready(Task& task) noexcept {
  timers_.remove(task);
  task.state_ = Task::State::ready;
  if ((task.waits_ || task.waits_next_) && give_to_worker(task)) return;
  ready_.push(task);
  wake();
}

void Runner::wake() noexcept {
  if (!base::Cork::hold(shared_from_this())) flush();
}

bool Runner::give_to_worker(Task& task) noexcept {
  try {
    return workers_.post([&task] { task.runner_->take_step(task); });
  } catch (const std::exception&) {  // no memory
    return false;
  }
}

void Runner::take_step(Task& task) noexcept {
  const auto keep = shared_from_this();  // the task may be completed meanwhile
  {
    base::MutexLock lock(mutex_);
    task.state_ = Task::State::stepping;
  }
  const WaitLoop::Step step = task.step(task.self_);
  base::MutexLock lock(mutex_);
  settle(task, step);
}

void Runner::settle(Task& task, const WaitLoop::Step& step) noexcept {
  if (step.done) {
    task.state_ = Task::State::done;
    done_.push(task);
    return wake();
  }
  task.waits_next_ = step.waits;
  if (task.state_ == Task::State::rung || step.sleep_until == Time::min()) {
    return make_ready(task);
  }
  task.state_ = Task::State::sleeping;
  if (step.sleep_until == Time::max()) return;
  const bool sooner = step.sleep_until < timers_.next_due();
  timers_.add(task, step.sleep_until);
  if (sooner && !inside()) changed_.notify_all();
}

void Runner::complete(Task& task) noexcept {
  std::shared_ptr<Task> last;
  {
    base::MutexLock lock(mutex_);
    last = std::static_pointer_cast<Task>(std::exchange(task.self_, nullptr));
  }
  if (executor_) {
    post_completion(executor_, std::move(last));
  } else {
    call_completion(*last);
    last.reset();
  }
  base::MutexLock lock(mutex_);
  --tasks_;
  if (tasks_ == 0) changed_.notify_all();
}

void Runner::drain() noexcept {
  base::MutexLock lock(mutex_);
  draining_ = true;
  changed_.notify_all();
  if (inside()) return;
  while (running_) changed_.wait(lock);
  lock.unlock();
  workers_.stop();
  lock.lock();
}

}  // namespace holdfast::core
