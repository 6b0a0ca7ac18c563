#include "core/notifier.h"

#include <deque>
#include <thread>
#include <utility>

#include "base/mutex.h"
#include "base/thread.h"

namespace holdfast::core {

struct Notifier::State {
  base::Mutex mutex;
  base::CondVar changed;
  std::deque<std::function<void()>> posted HOLDFAST_GUARDED_BY(mutex);
  bool stopping HOLDFAST_GUARDED_BY(mutex) = false;
  std::thread thread HOLDFAST_GUARDED_BY(mutex);

  void run() {
    base::MutexLock lock(mutex);
    for (;;) {
      if (!posted.empty()) {
        std::function<void()> task = std::move(posted.front());
        posted.pop_front();
        lock.unlock();
        task();
        task = nullptr;
        lock.lock();
      } else if (stopping) {
        return;
      } else {
        changed.wait(lock);
      }
    }
  }
};

Notifier::Notifier() : state_(std::make_shared<State>()) {}
Notifier::~Notifier() { stop(); }

void Notifier::post(std::stop_source source) {
  if (!source.stop_possible()) return;
  post([source = std::move(source)]() mutable { source.request_stop(); });
}

void Notifier::post(std::function<void()> task) {
  base::MutexLock lock(state_->mutex);
  if (state_->stopping) {
    lock.unlock();
    task();
    lock.lock();
    return;
  }
  state_->posted.push_back(std::move(task));
  if (!state_->thread.joinable()) {
    state_->thread =
        base::start_thread("holdfast-notify", [state = state_] { state->run(); });
  }
  state_->changed.notify_one();
}

void Notifier::stop() noexcept {
  std::thread thread;
  {
    base::MutexLock lock(state_->mutex);
    state_->stopping = true;
    thread = std::move(state_->thread);
    state_->changed.notify_one();
  }
  if (!thread.joinable()) return;
  if (thread.get_id() == std::this_thread::get_id()) {
    thread.detach();
  } else {
    thread.join();
  }
}

}  // namespace holdfast::core
