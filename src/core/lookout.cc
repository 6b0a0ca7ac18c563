#include "core/lookout.h"

#include <algorithm>
#include <thread>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "base/thread.h"
#include "base/time_left.h"
#include "core/listener.h"

namespace holdfast::core {

// Each listener has an ear of its own, so that a ring says which of them has to look.
struct Lookout::State : std::enable_shared_from_this<Lookout::State> {
  class Ear final : public engine::Signal {
   public:
    Ear(std::weak_ptr<State> state, const Listener* listener) noexcept
        : state_(std::move(state)), listener_(listener) {}
    void ring() noexcept override {
      if (const auto state = state_.lock()) state->rung(*listener_);
    }
    void wait(engine::Deadline) noexcept override {}

   private:
    const std::weak_ptr<State> state_;
    const Listener* const listener_;
  };

  struct Post {
    std::shared_ptr<Listener> listener;
    engine::Waker ear;
  };

  base::Mutex mutex;
  base::CondVar changed;
  std::vector<Post> posts HOLDFAST_GUARDED_BY(mutex);
  const Listener* looking_for HOLDFAST_GUARDED_BY(mutex) = nullptr;
  bool stopping HOLDFAST_GUARDED_BY(mutex) = false;
  std::thread thread HOLDFAST_GUARDED_BY(mutex);

  auto find(const Listener& listener) HOLDFAST_REQUIRES(mutex) {
    return std::find_if(posts.begin(), posts.end(), [&](const Post& post) {
      return post.listener.get() == &listener;
    });
  }

  void rung(const Listener& listener) noexcept {
    base::MutexLock lock(mutex);
    const auto post = find(listener);
    if (post == posts.end()) return;
    post->listener->rung = true;
    changed.notify_all();
  }

  void run() {
    base::MutexLock lock(mutex);
    while (!stopping) {
      const auto now = Clock::now();
      const auto next = std::min_element(
          posts.begin(), posts.end(), [](const Post& one, const Post& other) {
            return when(*one.listener) < when(*other.listener);
          });
      const auto due = next != posts.end() ? when(*next->listener) : now + kLongestNap;
      if (due > now) {
        changed.wait_for(lock, base::time_left(due, kLongestNap));
        continue;
      }
      Post post = *next;
      post.listener->rung = false;
      looking_for = post.listener.get();
      lock.unlock();
      const auto again = post.listener->look(post.ear);
      lock.lock();
      post.listener->due = again;
      looking_for = nullptr;
      changed.notify_all();
      lock.unlock();
      post = {};  // perhaps the last reference, and its watch
      lock.lock();
    }
  }

  // The condition variable does not count the time that the host sleeps.
  static constexpr Clock::duration kLongestNap = std::chrono::seconds(1);

  static Clock::time_point when(const Listener& listener) noexcept {
    return listener.rung ? Clock::time_point::min() : listener.due;
  }
};

Lookout::Lookout() : state_(std::make_shared<State>()) {}
Lookout::~Lookout() { stop(); }

void Lookout::add(std::shared_ptr<Listener> listener) {
  auto ear = std::make_shared<State::Ear>(state_, listener.get());
  base::MutexLock lock(state_->mutex);
  if (state_->stopping) return;
  state_->posts.push_back({std::move(listener), std::move(ear)});
  if (!state_->thread.joinable()) {
    state_->thread =
        base::start_thread("holdfast-look", [state = state_] { state->run(); });
  }
  state_->changed.notify_all();
}

void Lookout::remove(const Listener& listener) noexcept {
  State::Post removed;
  base::MutexLock lock(state_->mutex);
  const auto post = state_->find(listener);
  if (post != state_->posts.end()) {
    removed = std::move(*post);
    state_->posts.erase(post);
  }
  const bool by_itself = state_->thread.get_id() == std::this_thread::get_id();
  while (state_->looking_for == &listener && !by_itself) state_->changed.wait(lock);
  lock.unlock();
  removed = {};
  lock.lock();
}

void Lookout::stop() noexcept {
  std::thread thread;
  std::vector<State::Post> posts;
  {
    base::MutexLock lock(state_->mutex);
    state_->stopping = true;
    thread = std::move(state_->thread);
    posts.swap(state_->posts);
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
