// SPDX-License-Identifier: Apache-2.0

#include "engines/zookeeper/wakeups.h"

#include <utility>

namespace holdfast::zookeeper {

// The key is never zero, because zero is the context of a request without a watch.
WatchRegistry::Key WatchRegistry::key(std::string_view path, WatchFor what) noexcept {
  const Key hash = std::hash<std::string_view>{}(path);
  return hash << 2 | (what == WatchFor::children ? 2U : 0U) | 1U;
}

void WatchRegistry::on_event(Key key, std::string_view path, bool gone) noexcept {
  base::MutexLock lock(mutex_);
  const auto [begin, end] = all_.equal_range(key);
  for (auto each = begin; each != end; ++each) {
    each->second.set->fire(gone && path == *each->second.path);
  }
}

void WatchRegistry::on_missed() noexcept {
  base::MutexLock lock(mutex_);
  for (const auto& [key, watched] : all_) watched.set->fire(false);
}

std::shared_ptr<WatchSet> WatchSet::make(WatchRegistry& registry,
                                         std::vector<WatchTarget> targets,
                                         engine::Waker first, engine::Waker second) {
  std::shared_ptr<WatchSet> made(
      new WatchSet(registry, std::move(targets), std::move(first), std::move(second)));
  base::MutexLock lock(registry.mutex_);
  for (const WatchTarget& each : made->targets_) {
    registry.all_.emplace(WatchRegistry::key(each),
                          WatchRegistry::Watched{made.get(), &each.path});
  }
  return made;
}

WatchSet::WatchSet(WatchRegistry& registry, std::vector<WatchTarget> targets,
                   engine::Waker first, engine::Waker second) noexcept
    : registry_(registry),
      targets_(std::move(targets)),
      first_(std::move(first)),
      second_(std::move(second)) {}

WatchSet::~WatchSet() {
  base::MutexLock lock(registry_.mutex_);
  for (const WatchTarget& target : targets_) {
    const auto [begin, end] = registry_.all_.equal_range(WatchRegistry::key(target));
    for (auto each = begin; each != end;) {
      const auto next = std::next(each);
      if (each->second.set == this) registry_.all_.erase(each);
      each = next;
    }
  }
}

bool WatchSet::arm(engine::Waker waker) noexcept {
  base::MutexLock lock(registry_.mutex_);
  first_.swap(waker);
  return quiet();
}

void WatchSet::fire(bool gone) noexcept {
  if (gone) gone_.store(true);
  fired_.store(true);
  if (first_ != nullptr) first_->ring();
  if (second_ != nullptr) second_->ring();
}

}  // namespace holdfast::zookeeper
