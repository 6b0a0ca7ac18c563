// SPDX-License-Identifier: Apache-2.0

#include "primitives/multi_acquirer.h"

#include <algorithm>
#include <utility>

#include "base/pause.h"
#include "core/explain.h"

namespace holdfast::primitives {

using core::Lease;
using core::WaitLoop;
using namespace std::chrono_literals;

MultiAcquirer::MultiAcquirer(const std::vector<MultiPart>& parts,
                             const LeaseOptions& lease, const WaitOptions& options)
    : parts_(parts),
      lease_(lease),
      options_(options),
      loop_(*parts.front().lock.bound(), options.wait, &options.stop),
      leases_(parts.size()) {
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto same_client = [&](const Group& group) {
      return parts[group.front()].lock.state() == parts[i].lock.state();
    };
    const auto group = std::find_if(groups_.begin(), groups_.end(), same_client);
    if (group != groups_.end()) {
      group->push_back(i);
    } else {
      groups_.push_back({i});
    }
  }
  for (Group& group : groups_) {
    std::sort(group.begin(), group.end(), [&](std::size_t one, std::size_t other) {
      return parts[one].lock.name() < parts[other].lock.name();
    });
  }
  order_.reserve(parts.size());
}

Result<std::vector<std::size_t>> MultiAcquirer::run() {
  auto done = loop_.run(WaitLoop::First::bare,
                        [this](const engine::Waker&) { return poll_once(); });
  if (done) return order_;
  release_all();
  if (done.error().code == Errc::timed_out) {
    return Failure(
        Errc::timed_out,
        core::explain_timeout(*parts_[blocked_by_].lock.bound(), options_.wait));
  }
  return std::move(done).error();
}

std::vector<Hold> MultiAcquirer::take_holds() {
  std::vector<Hold> holds;
  holds.reserve(leases_.size());
  for (auto& lease : leases_) holds.push_back(Lease::to_hold(std::move(lease)));
  return holds;
}

Result<WaitLoop::Pause> MultiAcquirer::poll_once() {
  ++rounds_;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    for (const std::size_t part : groups_[g]) {
      auto taken = take(part, g == 0 ? time_left() : Timeout::zero());
      if (taken) continue;
      release_all();
      if (taken.error().code != Errc::timed_out) return std::move(taken).error();
      blocked_by_ = part;
      // The next round may wait for this lock, because it then holds nothing else.
      std::swap(groups_.front(), groups_[g]);
      return WaitLoop::Pause(pause());
    }
  }
  // A fixed lease may have ended while this call waited for the others.
  const auto intact = [](const auto& lease) { return lease->intact(); };
  if (std::all_of(leases_.begin(), leases_.end(), intact)) return WaitLoop::Pause();
  release_all();
  return WaitLoop::Pause(pause());
}

Result<void> MultiAcquirer::take(std::size_t part, Timeout wait) {
  const BoundPrimitive& lock = parts_[part].lock;
  auto lease = Lease::take(lock.state(), lock.bound(),
                           {.lease = lease_,
                            .wait = wait,
                            .stop = &options_.stop,
                            .explain = false,
                            .mode = parts_[part].mode});
  if (!lease) return std::move(lease).error();
  leases_[part] = *std::move(lease);
  order_.push_back(part);
  return {};
}

Timeout MultiAcquirer::time_left() const {
  if (options_.wait.is_zero() || options_.wait.is_forever()) return options_.wait;
  return loop_.until() - Clock::now();
}

void MultiAcquirer::release_all() noexcept {
  for (auto part = order_.rbegin(); part != order_.rend(); ++part) {
    (void)leases_[*part]->release();
    leases_[*part] = nullptr;
  }
  order_.clear();
}

// Two callers that block each other must not start again at the same instant.
std::chrono::nanoseconds MultiAcquirer::pause() const {
  return base::random_part(
      std::min<std::chrono::nanoseconds>(1ms * (1 << std::min(rounds_, 6)), 50ms));
}

}  // namespace holdfast::primitives
