// SPDX-License-Identifier: Apache-2.0

#include "engines/mysql/poller.h"

#include <algorithm>
#include <utility>

#include "base/common_failures.h"
#include "base/pause.h"
#include "engines/mysql/transport/sql.h"

namespace holdfast::mysql {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::nanoseconds kShortest = 3ms;
constexpr std::chrono::nanoseconds kLongest = 200ms;

std::chrono::nanoseconds pause_after(std::chrono::nanoseconds quiet) {
  return base::jittered(std::clamp(quiet / 4, kShortest, kLongest));
}

}  // namespace

Result<std::string> Poller::stamp_of(const std::string& name, engine::Deadline until) {
  auto connection = pool_.lend(until);
  if (!connection) return std::move(connection).error();
  auto answer = (*connection)->run(sql::kStamp, Args(name), until);
  if (!answer) return std::move(answer).error();
  return answer->rows.empty() ? std::string() : answer->rows.front().front().text;
}

// If the name is already watched, the known stamp may be older than this one. The watch
// is then rung at once.
Poller::Item& Poller::item_of(const std::string& name, const std::string& stamp) {
  const auto found = std::ranges::find(items_, name, &Item::name);
  if (found != items_.end()) return *found;
  const auto now = Clock::now();
  return items_.emplace_back(Item{name, {}, stamp, now, now + pause_after(kShortest)});
}

Result<std::shared_ptr<const Poller::Watch>> Poller::watch(const std::string& name,
                                                           const engine::Waker& waker,
                                                           engine::Deadline until) {
  const auto stamp = stamp_of(name, until);
  if (!stamp) return stamp.error();
  auto watch = std::make_shared<const Watch>(*this, name, waker);
  {
    base::MutexLock lock(mutex_);
    Item& item = item_of(name, *stamp);
    item.watches.push_back(watch.get());
    item.changed = Clock::now();
    item.due = std::min(item.due, item.changed + pause_after(kShortest));
  }
  if (!thread_.wake()) return base::no_thread("watch " + base::in_quotes(name));
  return watch;
}

void Poller::end(const Watch& watch) noexcept {
  base::MutexLock lock(mutex_);
  const auto item = std::ranges::find(items_, watch.name_, &Item::name);
  if (item == items_.end()) return;
  std::erase(item->watches, &watch);
  if (item->watches.empty()) items_.erase(item);
}

Clock::time_point Poller::look() {
  std::string name;
  {
    base::MutexLock lock(mutex_);
    const auto item = std::ranges::min_element(items_, {}, &Item::due);
    if (item == items_.end()) return Clock::time_point::max();
    if (Clock::now() < item->due) return item->due;
    name = item->name;
  }
  look_at(name);
  return Clock::now();
}

// After a failed query a change may have been missed, so the watches are rung.
void Poller::look_at(const std::string& name) {
  const auto stamp = stamp_of(name, Clock::now() + 2s);
  base::MutexLock lock(mutex_);
  const auto item = std::ranges::find(items_, name, &Item::name);
  if (item == items_.end()) return;
  const auto now = Clock::now();
  const std::string seen = stamp ? *stamp : "?";
  if (item->stamp != seen) {
    item->stamp = seen;
    item->changed = now;
    for (const Watch* const each : item->watches) each->waker_->ring();
  }
  item->due = now + (stamp ? pause_after(now - item->changed) : kLongest);
}

}  // namespace holdfast::mysql
