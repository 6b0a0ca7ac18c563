// SPDX-License-Identifier: Apache-2.0

#include "engines/quorum/wakeups.h"

#include <algorithm>
#include <utility>

namespace holdfast::quorum {

// The count is apart from the watches: a node that rings it must not be the last owner
// of its own watch.
class MajorityWaker::Count {
 public:
  Count(engine::Waker waker, std::size_t nodes, std::size_t needed)
      : waker_(std::move(waker)), needed_(needed), rung_(nodes) {}

  const engine::Waker& waker() const noexcept { return waker_; }

  void ring(std::size_t node) noexcept {
    base::MutexLock lock(mutex_);
    if (closed_) return;
    rung_[node] = true;
    if (static_cast<std::size_t>(std::ranges::count(rung_, true)) < needed_) return;
    if (Clock::now() < paused_until_) return;
    rung_.assign(rung_.size(), false);
    waker_->ring();
  }

  void pause_until(Clock::time_point until) {
    base::MutexLock lock(mutex_);
    rung_.assign(rung_.size(), false);
    paused_until_ = until;
  }

  void close() noexcept {
    base::MutexLock lock(mutex_);
    closed_ = true;
  }

 private:
  const engine::Waker waker_;
  const std::size_t needed_;
  base::Mutex mutex_;
  bool closed_ HOLDFAST_GUARDED_BY(mutex_) = false;
  std::vector<bool> rung_ HOLDFAST_GUARDED_BY(mutex_);
  Clock::time_point paused_until_ HOLDFAST_GUARDED_BY(mutex_){};
};

class MajorityWaker::NodeSignal final : public engine::Signal {
 public:
  NodeSignal(std::shared_ptr<Count> count, std::size_t node) noexcept
      : count_(std::move(count)), node_(node) {}
  void ring() noexcept override { count_->ring(node_); }
  void wait(engine::Deadline) noexcept override {}

 private:
  const std::shared_ptr<Count> count_;
  const std::size_t node_;
};

MajorityWaker::MajorityWaker(engine::Waker waker, std::size_t nodes, std::size_t needed)
    : count_(std::make_shared<Count>(std::move(waker), nodes, needed)),
      watches_(nodes) {}

MajorityWaker::~MajorityWaker() { close(); }

const engine::Waker& MajorityWaker::waker() const noexcept { return count_->waker(); }

Result<void> MajorityWaker::watch_node(std::size_t node, engine::Resource& resource,
                                       engine::Deadline until) {
  if (watches(node)) return {};
  auto watch = resource.watch(std::make_shared<NodeSignal>(count_, node), until);
  if (!watch) return std::move(watch).error();
  base::MutexLock lock(mutex_);
  if (!closed_) watches_[node] = std::move(watch->keep);
  return {};
}

bool MajorityWaker::watches(std::size_t node) const {
  base::MutexLock lock(mutex_);
  return watches_[node] != nullptr;
}

std::size_t MajorityWaker::watched() const {
  base::MutexLock lock(mutex_);
  return watches_.size() -
         static_cast<std::size_t>(std::ranges::count(watches_, nullptr));
}

void MajorityWaker::pause_until(Clock::time_point until) { count_->pause_until(until); }

void MajorityWaker::close() noexcept {
  count_->close();
  std::vector<std::shared_ptr<void>> gone;
  base::MutexLock lock(mutex_);
  closed_ = true;
  gone.swap(watches_);
  watches_.resize(gone.size());
}

}  // namespace holdfast::quorum
