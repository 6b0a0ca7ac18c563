// SPDX-License-Identifier: Apache-2.0

#include "engines/zookeeper/wakeups.h"

#include <utility>

namespace holdfast::zookeeper {

// The key is never zero, because zero is the context of a request without a watch.
WatchRegistry::Key WatchRegistry::key(std::string_view path, Change change) noexcept {
  const Key hash = std::hash<std::string_view>{}(path);
  return hash << 2 | (change == Change::children ? 2U : 0U) | 1U;
}

WatchHandle::WatchHandle(WatchRegistry& watches, WatchTarget target,
                         WatchListener& listener)
    : watches_(watches),
      target_(std::move(target)),
      key_(WatchRegistry::key(target_)),
      listener_(listener) {
  base::MutexLock lock(watches_.mutex_);
  watches_.all_.emplace(key_, this);
}

WatchHandle::~WatchHandle() {
  base::MutexLock lock(watches_.mutex_);
  const auto [begin, end] = watches_.all_.equal_range(key_);
  for (auto each = begin; each != end; ++each) {
    if (each->second == this) {
      watches_.all_.erase(each);
      return;
    }
  }
}

void WatchRegistry::on_event(Key key, std::string_view path, bool gone) noexcept {
  base::MutexLock lock(mutex_);
  const auto [begin, end] = all_.equal_range(key);
  for (auto each = begin; each != end; ++each) {
    const WatchHandle& handle = *each->second;
    handle.listener_.on_event(gone && path == handle.target_.path);
  }
}

void WatchRegistry::on_missed() noexcept {
  base::MutexLock lock(mutex_);
  for (const auto& [key, handle] : all_) handle->listener_.on_missed();
}

std::shared_ptr<WatchSet> WatchSet::make(WatchRegistry& watches,
                                         std::vector<WatchTarget> targets,
                                         engine::Waker first, engine::Waker second) {
  std::shared_ptr<WatchSet> made(new WatchSet(std::move(first), std::move(second)));
  for (WatchTarget& target : targets) {
    made->handles_.push_back(
        std::make_unique<WatchHandle>(watches, std::move(target), *made));
  }
  return made;
}

void WatchSet::ring() const noexcept {
  if (first_ != nullptr) first_->ring();
  if (second_ != nullptr) second_->ring();
}

void WatchSet::on_event(bool gone) noexcept {
  if (gone) gone_.store(true);
  fired_.store(true);
  ring();
}

void WatchSet::on_missed() noexcept {
  fired_.store(true);
  ring();
}

}  // namespace holdfast::zookeeper
