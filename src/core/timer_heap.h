// SPDX-License-Identifier: Apache-2.0

// core/timer_heap.h - tasks by the time at which they are due, and tasks in a row.

#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "core/task.h"

namespace holdfast::core {

// A binary heap. Each task knows its index in it, so that a task that is rung early is
// removed as quickly as the first one. The class is not safe for concurrent use.
class TimerHeap {
 public:
  bool empty() const noexcept { return heap_.empty(); }
  Task& first() const noexcept { return *heap_.front(); }  // REQUIRES: not empty
  Clock::time_point next_due() const noexcept {
    return heap_.empty() ? Clock::time_point::max() : first().due_;
  }

  // Makes room for so many tasks, so that adding them does not throw.
  void reserve(std::size_t tasks) {
    if (tasks <= heap_.capacity()) return;
    const std::size_t more = heap_.capacity() / 4;  // There may be very many tasks.
    heap_.reserve(std::max(tasks, heap_.capacity() + more));
  }

  void add(Task& task, Clock::time_point due) {
    heap_.push_back(&task);
    task.due_ = due;
    task.heap_index_ = static_cast<std::uint32_t>(heap_.size());
    rise(heap_.size() - 1);
  }

  // Does nothing if the task is not in the heap.
  void remove(Task& task) noexcept {
    if (task.heap_index_ == 0) return;
    const std::size_t at = task.heap_index_ - 1;
    task.heap_index_ = 0;
    Task* const last = heap_.back();
    heap_.pop_back();
    if (last == &task) return;
    put(at, last);
    rise(at);
    sink(last->heap_index_ - 1);
  }

 private:
  void put(std::size_t at, Task* task) noexcept {
    heap_[at] = task;
    task->heap_index_ = static_cast<std::uint32_t>(at + 1);
  }
  void exchange(std::size_t one, std::size_t other) noexcept {
    Task* const moved = heap_[one];
    put(one, heap_[other]);
    put(other, moved);
  }
  bool earlier(std::size_t one, std::size_t other) const noexcept {
    return heap_[one]->due_ < heap_[other]->due_;
  }
  void rise(std::size_t at) noexcept {
    for (; at > 0 && earlier(at, (at - 1) / 2); at = (at - 1) / 2) {
      exchange(at, (at - 1) / 2);
    }
  }
  void sink(std::size_t at) noexcept {
    for (;;) {
      std::size_t child = 2 * at + 1;
      if (child >= heap_.size()) return;
      if (child + 1 < heap_.size() && earlier(child + 1, child)) ++child;
      if (!earlier(child, at)) return;
      exchange(at, child);
      at = child;
    }
  }

  std::vector<Task*> heap_;
};

// Tasks in the order of arrival. A task is in one list at most.
class TaskList {
 public:
  bool empty() const noexcept { return first_ == nullptr; }

  void push(Task& task) noexcept {
    task.next_ = nullptr;
    (last_ != nullptr ? last_->next_ : first_) = &task;
    last_ = &task;
  }

  // Returns all tasks, and is empty then.
  TaskList take_all() noexcept { return std::exchange(*this, {}); }

  // REQUIRES: not empty
  Task& pop() noexcept {
    Task* const task = std::exchange(first_, first_->next_);
    if (first_ == nullptr) last_ = nullptr;
    return *task;
  }

 private:
  Task* first_ = nullptr;
  Task* last_ = nullptr;
};

}  // namespace holdfast::core
