// SPDX-License-Identifier: Apache-2.0

#include "core/pending_drops.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "base/thread_pool.h"
#include "base/transient.h"

namespace holdfast::core {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kMostDroppers = 4;

Clock::duration drop_pause(int failures) noexcept {
  return std::min<Clock::duration>(10ms * (1 << std::min(failures, 8)), 1s);
}

}  // namespace

void PendingDrops::add(const Drop& drop) noexcept {
  try {
    drops_.push_back(drop);
  } catch (const std::exception&) {
    (void)drop.claim.bound->drop(drop.claim.claim, engine::Deadline::min());
  }
}

std::optional<PendingDrops::Drop> PendingDrops::take_due(Time now) {
  const auto found = std::find_if(drops_.begin(), drops_.end(),
                                  [&](const Drop& each) { return each.due <= now; });
  if (found == drops_.end()) return std::nullopt;
  std::optional<Drop> due(std::move(*found));
  drops_.erase(found);
  return due;
}

std::vector<BoundClaim> PendingDrops::take_all() {
  std::vector<BoundClaim> all;
  for (Drop& drop : drops_) all.push_back(std::move(drop.claim));
  drops_.clear();
  return all;
}

Clock::time_point PendingDrops::start_workers(Time now,
                                              const std::function<bool()>& start) {
  Time next = Time::max();
  std::size_t due = 0;
  for (const Drop& drop : drops_) {
    if (drop.due <= now) {
      ++due;
    } else {
      next = std::min(next, drop.due);
    }
  }
  for (; due > 0 && workers_ < kMostDroppers; --due) {
    if (!start()) return now + base::kNoThreadPause;
    ++workers_;
  }
  return next;
}

std::optional<Failure> PendingDrops::send(Drop& drop,
                                          engine::LeaseTime limit) noexcept {
  const BoundResource& bound = *drop.claim.bound;
  const auto until = bound.bounded() ? Clock::now() + limit : engine::Deadline::max();
  auto dropped = bound.drop(drop.claim.claim, until);
  if (dropped || !base::is_transient(dropped.error())) return std::nullopt;
  drop.due = Clock::now() + drop_pause(drop.failures++);
  return std::move(dropped).error();
}

}  // namespace holdfast::core
