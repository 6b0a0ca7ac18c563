#include "engines/zookeeper/ears.h"

#include <utility>
#include <vector>

namespace holdfast::zookeeper {

// Never zero, which is the context of no watch.
Ears::Key Ears::key(std::string_view path, Change change) noexcept {
  const Key hash = std::hash<std::string_view>{}(path);
  return hash << 2 | (change == Change::children ? 2U : 0U) | 1U;
}

Ears::Ear::Ear(Ears& ears, Spot spot, std::weak_ptr<Listener> listener)
    : ears_(ears),
      spot_(std::move(spot)),
      key_(key(spot_)),
      listener_(std::move(listener)) {
  base::MutexLock lock(ears_.mutex_);
  ears_.all_.emplace(key_, this);
}

Ears::Ear::~Ear() {
  base::MutexLock lock(ears_.mutex_);
  const auto [begin, end] = ears_.all_.equal_range(key_);
  for (auto each = begin; each != end; ++each) {
    if (each->second == this) {
      ears_.all_.erase(each);
      return;
    }
  }
}

void Ears::heard(Key key, std::string_view path, bool gone) noexcept {
  std::vector<std::pair<std::shared_ptr<Listener>, bool>> rung;
  {
    base::MutexLock lock(mutex_);
    const auto [begin, end] = all_.equal_range(key);
    for (auto each = begin; each != end; ++each) {
      const Ear& ear = *each->second;
      auto listener = ear.listener_.lock();
      if (listener != nullptr) {
        rung.emplace_back(std::move(listener), gone && path == ear.spot_.path);
      }
    }
  }
  for (const auto& [listener, is_gone] : rung) listener->heard(is_gone);
}

void Ears::missed() noexcept {
  std::vector<std::shared_ptr<Listener>> rung;
  {
    base::MutexLock lock(mutex_);
    for (const auto& [key, ear] : all_) {
      if (auto listener = ear->listener_.lock()) rung.push_back(std::move(listener));
    }
  }
  for (const auto& each : rung) each->missed();
}

}  // namespace holdfast::zookeeper
