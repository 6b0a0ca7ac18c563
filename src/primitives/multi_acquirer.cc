// SPDX-License-Identifier: Apache-2.0

#include "primitives/multi_acquirer.h"

#include <algorithm>
#include <utility>

#include "base/pause.h"
#include "base/time_left.h"
#include "core/access.h"
#include "core/explain.h"

namespace holdfast::primitives {

using core::Access;
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
  return finish(loop_.run(WaitLoop::First::bare,
                          [this](const engine::Waker&) { return poll_once(); }));
}

Result<std::vector<std::size_t>> MultiAcquirer::finish(const Result<void>& ended) {
  if (ended) return order_;
  if (taking_) (void)taking_->acquisition.finish(ended);
  taking_.reset();
  release_all();
  if (ended.error().code == Errc::timed_out) {
    return core::explain_timeout(*parts_[blocked_by_].lock.bound(), options_.wait);
  }
  return ended.error();
}

std::vector<Hold> MultiAcquirer::take_holds() {
  std::vector<Hold> holds;
  holds.reserve(leases_.size());
  for (auto& lease : leases_) holds.push_back(Access::hold(std::move(lease)));
  return holds;
}

void MultiAcquirer::begin_round() noexcept {
  ++rounds_;
  group_ = 0;
  member_ = 0;
}

Result<WaitLoop::Pause> MultiAcquirer::poll_once() {
  begin_round();
  for (;;) {
    const BoundPrimitive& lock = parts_[part()].lock;
    if (auto ended = settle(Lease::take(lock.state(), lock.bound(), request()))) {
      return *std::move(ended);
    }
  }
}

// A round may sleep while it waits for a part. Its end counts as one poll of the loop.
Result<WaitLoop::Step> MultiAcquirer::step(const engine::Waker& waker) {
  loop_.start();
  for (;;) {
    const BoundPrimitive& lock = parts_[part()].lock;
    if (!taking_) {
      if (auto why = loop_.over()) return *std::move(why);
      if (group_ == 0 && member_ == 0) begin_round();
      taking_.emplace(lock.bound(), request());
    }
    const auto next = taking_->acquisition.step(waker);
    if (next && !next->done) return *next;
    const auto start =
        taking_->acquisition.finish(next ? Result<void>() : Result<void>(next.error()));
    taking_.reset();
    auto ended = settle(Lease::begin(lock.state(), lock.bound(), start, lease_));
    if (!ended) continue;
    group_ = 0;
    member_ = 0;
    if (*ended && !**ended) return WaitLoop::Step{true, {}};
    return loop_.step(waker, [&](const engine::Waker&) { return *std::move(ended); });
  }
}

// Goes on to the next part. Returns what the round came to, when it is over.
std::optional<Result<WaitLoop::Pause>> MultiAcquirer::settle(Outcome outcome) {
  if (outcome) {
    leases_[part()] = *std::move(outcome);
    order_.push_back(part());
    if (++member_ < groups_[group_].size()) return std::nullopt;
    member_ = 0;
    if (++group_ < groups_.size()) return std::nullopt;
    return end_round();
  }
  release_all();
  if (outcome.error().code != Errc::timed_out) {
    return Result<WaitLoop::Pause>(std::move(outcome).error());
  }
  blocked_by_ = part();
  // The next round may wait for this lock, because it then holds nothing else.
  std::swap(groups_.front(), groups_[group_]);
  return Result<WaitLoop::Pause>(pause());
}

Result<WaitLoop::Pause> MultiAcquirer::end_round() {
  // A fixed lease may have ended while this call waited for the others.
  const auto intact = [](const auto& lease) { return lease->intact(); };
  if (std::all_of(leases_.begin(), leases_.end(), intact)) return WaitLoop::Pause();
  release_all();
  return WaitLoop::Pause(pause());
}

core::AcquireRequest MultiAcquirer::request() const {
  return {.lease = lease_,
          .wait = group_ == 0 ? rest_of_wait() : Timeout::zero(),
          .stop = &options_.stop,
          .explain = false,
          .mode = parts_[part()].mode};
}

Timeout MultiAcquirer::rest_of_wait() const {
  if (options_.wait.is_zero() || options_.wait.is_forever()) return options_.wait;
  return base::time_left(loop_.until(), Clock::duration::max());
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
