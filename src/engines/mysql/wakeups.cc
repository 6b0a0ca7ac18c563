#include "engines/mysql/wakeups.h"

#include <algorithm>
#include <utility>

#include "base/thread.h"
#include "base/time_left.h"
#include "engines/mysql/transport/sql.h"

namespace holdfast::mysql {

using namespace std::chrono_literals;

BellWait::Outcome BellWait::outcome() const {
  base::MutexLock lock(mutex_);
  return outcome_;
}

void BellWait::linger(engine::Deadline until) const {
  base::MutexLock lock(mutex_);
  while (!over_) {
    const auto left = base::time_left(until);
    if (left == 0ns) return;
    changed_.wait_for(lock, left);
  }
}

bool BellWait::stop(engine::Deadline until) {
  base::MutexLock lock(mutex_);
  stopped_ = true;
  if (blocked_ != nullptr) blocked_->cut();
  while (!over_) {
    const auto left = base::time_left(until, 1s);
    if (left == 0ns) return false;
    changed_.wait_for(lock, left);
  }
  return true;
}

bool BellWait::block(const std::shared_ptr<Connection>& connection) {
  base::MutexLock lock(mutex_);
  if (stopped_) return false;
  blocked_ = connection;
  return true;
}

bool BellWait::unblock() {
  base::MutexLock lock(mutex_);
  blocked_.reset();
  return !stopped_;
}

void BellWait::finish(Outcome outcome) {
  {
    base::MutexLock lock(mutex_);
    outcome_ = std::move(outcome);
    blocked_.reset();
    over_ = true;
    changed_.notify_all();
  }
  waker_->ring();
}

BellThreads::~BellThreads() {
  std::vector<std::thread> threads;
  std::vector<std::shared_ptr<BellWait>> active;
  {
    base::MutexLock lock(mutex_);
    stopping_ = true;
    threads.swap(threads_);
    active = active_;
    changed_.notify_all();
  }
  for (const auto& each : active) (void)each->stop(Clock::now());
  for (std::thread& each : threads) each.join();
}

std::shared_ptr<BellWait> BellThreads::start(const engine::Waker& waker, Job job) {
  base::MutexLock lock(mutex_);
  if (stopping_ || active_.size() >= kMost) return nullptr;
  if (threads_.size() <= active_.size()) {
    threads_.push_back(base::start_thread("holdfast-listen", [this] { run(); }));
  }
  auto wait = std::make_shared<BellWait>(waker);
  active_.push_back(wait);
  tasks_.push_back({wait, std::move(job)});
  changed_.notify_one();
  return wait;
}

void BellThreads::run() {
  for (;;) {
    Task task;
    {
      base::MutexLock lock(mutex_);
      while (tasks_.empty() && !stopping_) changed_.wait(lock);
      if (tasks_.empty()) return;
      task = std::move(tasks_.front());
      tasks_.pop_front();
    }
    serve(task);
    base::MutexLock lock(mutex_);
    std::erase(active_, task.wait);
  }
}

Result<bool> BellThreads::wait_for(BellWait& wait, Pool::Lent& connection,
                                   std::string_view bell, After after) {
  constexpr auto kLongestCall = 60s;
  constexpr auto kGrace = 5s;  // for the answer
  for (;;) {
    Args args;
    args << bell << std::int64_t{std::chrono::seconds(kLongestCall).count()};
    if (after == After::pass_on) args << bell;
    if (!wait.block(connection.share())) return false;
    const auto answer =
        connection->run(after == After::keep ? sql::kWaitForBell : sql::kWaitAndPassOn,
                        args, Clock::now() + kLongestCall + kGrace);
    if (!wait.unblock()) {
      connection->cut();
      return false;
    }
    if (!answer) return answer.error();
    const Cell& got = answer->rows.at(0).at(0);
    if (got.null) return Failure(Errc::unavailable, "the server ended GET_LOCK");
    if (got.number == 1) return true;
  }
}

void BellThreads::serve(const Task& task) {
  auto connection = pool_.lend_to_block(Clock::now() + 5s);
  if (!connection) return task.wait->finish({.state = BellWait::State::failed});
  task.job(*task.wait, *connection);
}

}  // namespace holdfast::mysql
