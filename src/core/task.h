// SPDX-License-Identifier: Apache-2.0

// core/task.h - an asynchronous call while it is under way.
//
// A task is what a thread would be in the blocking form: it takes a step, sleeps, and
// takes the next step when it is rung or its time has come, until it is done. Then its
// completion is called. The runner (core/runner.h) does all of this. The task is the
// signal that it sleeps on, so an engine or a gate wakes it as it wakes a thread.

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "core/wait_loop.h"
#include "holdfast/engine/claim.h"

namespace holdfast::core {

class Runner;

class Task : public engine::Signal {
 public:
  // `waits` means that every step may wait for a server, so that it must not delay
  // others. Otherwise a step may wait only if the step before it returned `waits`.
  explicit Task(bool waits) noexcept : waits_(waits) {}
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;
  ~Task() override;

  void ring() noexcept final;
  void wait(engine::Deadline) noexcept final {}  // a task does not block

  // The runner calls this once, inside the call that starts the task. It must not wait
  // for a server. Returns until when to sleep, or nothing if the first step is to be
  // taken.
  virtual std::optional<WaitLoop::Step> begin(const engine::Waker& self) noexcept = 0;

  // Takes the next step. The task is rung through `self`. One thread at a time calls
  // it, and never again after a step that is done.
  virtual WaitLoop::Step step(const engine::Waker& self) noexcept = 0;

  // Calls the completion with the outcome. REQUIRES: the last step was done, or `fail`
  // was called.
  virtual void complete() = 0;

  // Returns the name that is asked for, or nothing if there is none.
  virtual std::string_view name() const noexcept { return {}; }

  // Makes `why` the outcome of a task that took no step.
  virtual void fail(const Failure& why) noexcept = 0;

  // Destroys the completion, if it was not called, and what it would have received. The
  // client is let go here, since the last to drop the task may be a thread of it.
  virtual void abandon() noexcept = 0;

 private:
  friend class Runner;
  friend class TimerHeap;
  friend class TaskList;
  friend class Delivery;

  enum class State : std::uint8_t {
    sleeping,  // until it is rung or due
    ready,     // in a list, or given to a worker
    stepping,
    rung,  // while it was stepping
    done,  // its completion is due
  };

  // The runner's mutex guards these. `self_` keeps the task alive until it is
  // completed.
  std::shared_ptr<Runner> runner_;
  engine::Waker self_;
  Task* next_ = nullptr;  // in a TaskList
  Clock::time_point due_{};
  std::uint32_t heap_index_ = 0;  // in the TimerHeap, from one; zero if it is not in it
  State state_ = State::sleeping;
  bool waits_next_ : 1 = false;
  const bool waits_ : 1;
  std::atomic<std::uint16_t> deliveries_{0};  // see Delivery
};

// The function that an executor is given to complete a task. If all of its copies are
// destroyed and none was called, the task is abandoned.
class Delivery {
 public:
  explicit Delivery(std::shared_ptr<Task> task) noexcept : task_(std::move(task)) {
    ++task_->deliveries_;
  }
  Delivery(const Delivery& other) noexcept : Delivery(other.task_) {}
  Delivery(Delivery&& other) noexcept = default;
  Delivery& operator=(const Delivery&) = delete;
  ~Delivery() {
    if (task_ != nullptr && --task_->deliveries_ == 0) task_->abandon();
  }

  void operator()() const { task_->complete(); }

 private:
  std::shared_ptr<Task> task_;
};

}  // namespace holdfast::core
