// SPDX-License-Identifier: Apache-2.0

#include "engines/redis/transport/refresher.h"

#include <utility>

#include "base/backoff.h"
#include "base/pause.h"
#include "base/thread.h"
#include "base/time_left.h"

namespace holdfast::redis {

Refresher::Refresher(std::chrono::milliseconds pause, const RetryPolicy& retry,
                     std::function<bool()> refresh)
    : pause_(pause), retry_(retry), refresh_(std::move(refresh)) {}

Refresher::~Refresher() { stop(); }

void Refresher::start(const char* name) {
  thread_ = base::start_thread(name, [this] { run(); });
}

void Refresher::stop() noexcept {
  {
    base::MutexLock lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

void Refresher::request_refresh() {
  base::MutexLock lock(mutex_);
  wanted_ = true;
  changed_.notify_all();
}

void Refresher::run() {
  base::Backoff backoff(retry_);
  for (;;) {
    {
      base::MutexLock lock(mutex_);
      while (!wanted_ && !stopping_) changed_.wait(lock);
      if (stopping_) return;
      wanted_ = false;
    }
    const bool refreshed = refresh_();
    if (refreshed) backoff.reset();
    const auto until =
        Clock::now() + (refreshed ? base::jittered(pause_) : backoff.failed());
    base::MutexLock lock(mutex_);
    while (!stopping_ && Clock::now() < until) {
      changed_.wait_for(lock, base::time_left(until));
    }
  }
}

}  // namespace holdfast::redis
