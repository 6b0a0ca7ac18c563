// SPDX-License-Identifier: Apache-2.0

#include "engines/quorum/transport/node.h"

#include <exception>
#include <utility>

#include "base/ask_engine.h"
#include "base/common_failures.h"
#include "base/thread.h"
#include "base/time_left.h"

namespace holdfast::quorum {
namespace {

using engine::Deadline;

}  // namespace

Node::Node(std::shared_ptr<engine::Engine> engine, engine::SessionOptions options)
    : engine_(std::move(engine)),
      options_(std::move(options)),
      opening_(options_.retry),
      retry_pause_(options_.retry),
      thread_(base::start_thread("hf-quorum-node", [this] { run(); })) {}

Node::~Node() {
  stop();
  thread_.join();
}

void Node::stop() noexcept {
  base::MutexLock lock(mutex_);
  stopping_ = true;
  changed_.notify_one();
}

void Node::post(Deadline until, Job job) {
  base::MutexLock lock(mutex_);
  tasks_.push_back({until, std::move(job)});
  changed_.notify_one();
}

std::optional<Node::Turn> Node::enter() {
  base::MutexLock lock(mutex_);
  const bool idle = !taken_ && !stopping_ && tasks_.empty() && retries_.empty();
  if (!idle || silent() || session() == nullptr) return std::nullopt;
  if (late_ != nullptr && late_due_ <= Clock::now()) return std::nullopt;
  taken_ = true;
  return Turn{session(), std::move(late_)};
}

void Node::leave(std::unique_ptr<Sent> late, Clock::time_point due) noexcept {
  base::MutexLock lock(mutex_);
  taken_ = false;
  late_ = std::move(late);
  late_due_ = due;
  const bool is_due = late_ != nullptr && (!looks_ || due <= Clock::now());
  if (is_due) looks_ = true;
  if (is_due || stopping_ || !tasks_.empty() || !retries_.empty()) {
    changed_.notify_one();
  }
}

void Node::retry(Job job) {
  base::MutexLock lock(mutex_);
  retries_.push_back(std::move(job));
  changed_.notify_one();
}

bool Node::is_retrying() {
  base::MutexLock lock(mutex_);
  return !retries_.empty();
}

void Node::run() {
  base::MutexLock lock(mutex_);
  for (;;) {
    const auto now = Clock::now();
    const bool has_more = stopping_ || !tasks_.empty() || !retries_.empty();
    if (taken_) {
      looks_ = false;
      changed_.wait(lock);
    } else if (late_ != nullptr && (has_more || late_due_ <= now)) {
      finish_late();
    } else if (!retries_.empty() && retry_at_ <= now && !stopping_) {
      retry_first();
    } else if (!tasks_.empty()) {
      work();
    } else if (stopping_) {
      return;
    } else {
      wait_for_work(lock);
    }
  }
}

void Node::wait_for_work(base::MutexLock& lock) {
  looks_ = late_ != nullptr;
  if (looks_) {
    changed_.wait_for(lock, base::time_left(late_due_));
  } else if (!retries_.empty()) {
    changed_.wait_for(lock, base::time_left(retry_at_));
  } else {
    changed_.wait(lock);
  }
}

// Makes a call of the node's thread, without the mutex.
template <class Call>
void Node::in_turn(const Call& call) {
  taken_ = true;
  {
    const base::MutexUnlock unlock(mutex_);
    call();
  }
  taken_ = false;
}

void Node::finish_late() {
  auto late = std::move(late_);
  const bool in_vain = stopping_ && silent();
  in_turn([&] {
    if (!in_vain) silent_.store(!base::is_answered([&] { return late->finish(); }));
    late.reset();
  });
}

void Node::work() {
  const Task task = std::move(tasks_.front());
  tasks_.pop_front();
  const bool in_vain = stopping_ && silent();
  in_turn([&] { ask(task.job, in_vain ? Deadline::min() : task.until); });
}

// Retries one job at a time, so that a silent node costs one call per pause. The job
// stays at the front meanwhile; only this thread removes it.
void Node::retry_first() {
  const Job& job = retries_.front();  // New ones at the back leave it where it is.
  bool answered = false;
  in_turn([&] { answered = ask(job, Deadline::max()); });
  if (answered) {
    retries_.pop_front();
    retry_pause_.reset();
    return;
  }
  retry_at_ = Clock::now() + retry_pause_.failed();
}

bool Node::ask(const Job& job, Deadline until) noexcept {
  return base::is_answered([&] {
    const auto late = [&] { return until != Deadline::max() && Clock::now() >= until; };
    if (late()) return job(not_in_time());
    const auto session = reach();
    if (!session || late()) return job(session ? not_in_time() : session);
    const bool answered = base::is_answered([&] { return job(session); });
    silent_.store(!answered);
    return answered;
  });
}

Result<std::unique_ptr<engine::Session>> Node::open() noexcept {
  try {
    return engine_->open(options_);
  } catch (const std::exception& error) {
    return base::out_of_resources(error, "open a node of the quorum");
  }
}

Result<engine::Session*> Node::reach() {
  if (session_ != nullptr) return session_.get();
  if (Clock::now() < open_again_) return *why_closed_;
  auto opened = open();
  if (!opened) {
    why_closed_ = opened.error();
    open_again_ = Clock::now() + opening_.failed();
    silent_.store(true);
    return *why_closed_;
  }
  session_ = *std::move(opened);
  opened_.store(session_.get());
  silent_.store(false);
  return session_.get();
}

}  // namespace holdfast::quorum
