// SPDX-License-Identifier: Apache-2.0

#include "engines/etcd/session_lease.h"

#include <algorithm>
#include <utility>

#include "base/time_left.h"
#include "engines/etcd/errors.h"

namespace holdfast::etcd {
namespace {

constexpr std::chrono::seconds kLongest{1'000'000'000};
constexpr std::chrono::seconds kSilence{1};
const std::string kGrant = "/etcdserverpb.Lease/LeaseGrant";
const std::string kRevoke = "/etcdserverpb.Lease/LeaseRevoke";

}  // namespace

SessionLease::SessionLease(std::chrono::milliseconds ttl, EventLoop& loop,
                           Channels& channels, Calls& calls,
                           std::function<void(std::int64_t)> on_end)
    : ttl_(std::min<std::chrono::milliseconds>(ttl, kLongest)),
      loop_(loop),
      calls_(calls),
      on_end_(std::move(on_end)),
      stream_(loop, channels, calls, "/etcdserverpb.Lease/LeaseKeepAlive",
              std::make_unique<wire::LeaseKeepAliveResponse>(), *this) {}

void SessionLease::add_jobs(std::vector<PeriodicJob*>& to) {
  to.push_back(this);
  to.push_back(&stream_);
}

std::int64_t SessionLease::current() const {
  base::MutexLock lock(mutex_);
  return id_;
}

std::chrono::nanoseconds SessionLease::span() const {
  return std::min<std::chrono::nanoseconds>(ttl_, granted_);
}

Result<std::int64_t> SessionLease::ensure(engine::Deadline until) {
  {
    base::MutexLock lock(mutex_);
    const bool fresh = Clock::now() < alive_from_ + span() / 3 * 2;
    if (id_ != 0 && fresh) return id_;
  }
  base::MutexLock one_at_a_time(granting_);
  if (const std::int64_t id = current(); id != 0) {
    auto alive = wait_for_keep_alive(send_keep_alive(), until);
    if (alive) return id;
    if (alive.error().code != Errc::not_held) return std::move(alive).error();
  }
  return grant(until);
}

Result<std::int64_t> SessionLease::grant(engine::Deadline until) {
  const auto asked = Clock::now();
  wire::LeaseGrantRequest request;
  request.set_ttl(std::chrono::ceil<std::chrono::seconds>(ttl_).count());
  wire::LeaseGrantResponse answer;
  if (auto done = calls_.call(kGrant, request, answer, until); !done) {
    return std::move(done).error();
  }
  {
    base::MutexLock lock(mutex_);
    id_ = answer.id();
    granted_ = std::chrono::seconds(answer.ttl());
    alive_from_ = asked;
    sent_at_ = asked;
  }
  stream_.keep_open();
  loop_.wake();
  return answer.id();
}

engine::LeaseTime SessionLease::remaining(std::int64_t id, Clock::time_point asked,
                                          engine::LeaseTime wanted) const {
  base::MutexLock lock(mutex_);
  if (id != id_) return engine::LeaseTime::zero();
  const engine::LeaseTime whole = span();
  const auto left = std::min<engine::LeaseTime>(alive_from_ + whole - asked, whole);
  return wanted.count() != 0 ? std::min(left, wanted) : left;
}

void SessionLease::send(Clock::time_point now) {
  if (!open_ || id_ == 0) return;
  sent_at_ = now;
  unanswered_.push_back(now);
  auto request = std::make_unique<wire::LeaseKeepAliveRequest>();
  request->set_id(id_);
  stream_.send(std::move(request));
}

SessionLease::KeepAlive SessionLease::send_keep_alive() {
  base::MutexLock lock(mutex_);
  const auto now = Clock::now();
  send(now);
  loop_.end_rest();
  return {id_, now};
}

bool SessionLease::is_awaited() {
  base::MutexLock lock(mutex_);
  return !unanswered_.empty();
}

// A call with a short deadline must not restart the stream while calls with more time
// still wait for it.
bool SessionLease::is_silent(Clock::time_point now) const {
  const auto longest = std::min<std::chrono::nanoseconds>(span() / 3, kSilence);
  return !unanswered_.empty() && now - unanswered_.front() >= longest;
}

Result<void> SessionLease::wait_for_keep_alive(const KeepAlive& keep_alive,
                                               engine::Deadline until) {
  base::MutexLock lock(mutex_);
  while (keep_alive.id != 0 && id_ == keep_alive.id && alive_from_ < keep_alive.sent) {
    const auto now = Clock::now();
    if (now >= until) {
      if (is_silent(now)) stream_.restart();
      return base::not_answered(calls_.servers(), Errc::unavailable,
                                "a keep-alive of the session's lease");
    }
    changed_.wait_for(lock, base::time_left(until));
  }
  if (keep_alive.id == 0 || id_ != keep_alive.id) {
    return lease_ended(calls_.servers());
  }
  return {};
}

void SessionLease::mark_ended(std::int64_t id) {
  {
    base::MutexLock lock(mutex_);
    if (id == 0 || id != id_) return;
    id_ = 0;
    changed_.notify_all();
  }
  on_end_(id);
}

void SessionLease::revoke(engine::Deadline until) {
  wire::LeaseRevokeRequest request;
  {
    base::MutexLock lock(mutex_);
    request.set_id(std::exchange(id_, 0));
  }
  if (request.id() == 0) return;
  wire::LeaseRevokeResponse answer;
  (void)calls_.call(kRevoke, request, answer, until);
}

void SessionLease::on_open() {
  base::MutexLock lock(mutex_);
  open_ = true;
  unanswered_.clear();
  send(Clock::now());
}

void SessionLease::on_break() {
  base::MutexLock lock(mutex_);
  open_ = false;
  unanswered_.clear();
}

// Answers come in the order of the requests, so the time at which each was asked for is
// known.
void SessionLease::on_message(const google::protobuf::MessageLite& message) {
  const auto& answer = static_cast<const wire::LeaseKeepAliveResponse&>(message);
  {
    base::MutexLock lock(mutex_);
    if (unanswered_.empty()) return;
    const auto sent = unanswered_.front();
    unanswered_.pop_front();
    if (answer.id() != id_) return;
    if (answer.ttl() > 0) {
      granted_ = std::chrono::seconds(answer.ttl());
      alive_from_ = std::max(alive_from_, sent);
      changed_.notify_all();
      return;
    }
  }
  mark_ended(answer.id());
}

// If a keep-alive is not answered before the next one is due, the stream is opened at
// another member.
Clock::time_point SessionLease::work() {
  base::MutexLock lock(mutex_);
  if (id_ == 0) return Clock::time_point::max();
  const auto now = Clock::now();
  const auto due = sent_at_ + span() / 3;
  if (now < due) return due;
  const bool silent = !unanswered_.empty();
  send(now);
  if (!open_) sent_at_ = now;
  if (silent) stream_.restart();
  return sent_at_ + span() / 3;
}

}  // namespace holdfast::etcd
