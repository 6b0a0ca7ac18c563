// SPDX-License-Identifier: Apache-2.0

#include "engines/etcd/wakeups.h"

#include <algorithm>
#include <utility>

#include "base/time_left.h"

namespace holdfast::etcd {

namespace {

using namespace std::chrono_literals;

constexpr auto kLater = 100ms;
constexpr auto kKept = 1s;

// How often a watch is requested anew on a busy server before a late event is accepted.
constexpr int kMostTries = 8;

}  // namespace

WatchRegistry::WatchRegistry(EventLoop& loop, Channels& channels, Calls& calls)
    : loop_(loop),
      calls_(calls),
      stream_(loop, channels, calls, "/etcdserverpb.Watch/Watch",
              std::make_unique<wire::WatchResponse>(), *this) {}

void WatchRegistry::add_jobs(std::vector<PeriodicJob*>& to) {
  to.push_back(this);
  to.push_back(&stream_);
}

std::shared_ptr<WatchHandle> WatchRegistry::watch(WatchTarget target,
                                                  std::vector<engine::Waker> wakers) {
  auto handle = take_kept(target, wakers);
  if (handle == nullptr) {
    handle = std::make_shared<WatchHandle>(*this, std::move(target), std::move(wakers),
                                           WatchHandle::Begin::now);
    stream_.keep_open();
  }
  loop_.end_rest();
  return handle;
}

std::shared_ptr<WatchHandle> WatchRegistry::watch_later(
    WatchTarget target, std::vector<engine::Waker> wakers) {
  auto handle = std::make_shared<WatchHandle>(
      *this, std::move(target), std::move(wakers), WatchHandle::Begin::later);
  stream_.keep_open();
  return handle;
}

WatchHandle::WatchHandle(WatchRegistry& watches, WatchTarget target,
                         std::vector<engine::Waker> wakers, Begin begin)
    : watches_(watches), target_(std::move(target)), wakers_(std::move(wakers)) {
  base::MutexLock lock(watches_.mutex_);
  id_ = ++watches_.last_id_;
  waits_to_begin_ = begin == Begin::later;
  if (waits_to_begin_) {
    watches_.later_.push_back({id_, created_at_ + kLater});
    watches_.work_at(created_at_ + kLater);
  }
  watches_.handles_.emplace(id_, this);
  if (target_.prompt) ++watches_.awaited_;
  if (!waits_to_begin_) watches_.begin(*this);
}

WatchHandle::~WatchHandle() {
  base::MutexLock lock(watches_.mutex_);
  watches_.handles_.erase(id_);
  if (target_.prompt && !kept_) --watches_.awaited_;
  if (refused_.empty() && !waits_to_begin_) watches_.cancel(id_);
}

void WatchRegistry::cancel(std::int64_t id, bool more) {
  if (!open_) return;
  auto request = std::make_unique<wire::WatchRequest>();
  request->mutable_cancel_request()->set_watch_id(id);
  stream_.send(std::move(request), more);
}

WatchRegistry::HandlePtr WatchRegistry::take_kept(const WatchTarget& target,
                                                  std::vector<engine::Waker>& wakers) {
  base::MutexLock lock(mutex_);
  for (IdleWatch& each : kept_) {
    if (each.handle == nullptr || each.handle->target_ != target) continue;
    HandlePtr handle = std::exchange(each, {}).handle;
    handle->wakers_ = std::move(wakers);
    handle->kept_ = false;
    ++awaited_;
    return handle;
  }
  return nullptr;
}

void WatchHandle::keep(std::shared_ptr<WatchHandle> handle) noexcept {
  if (handle == nullptr || !handle->target_.end.empty()) return;
  WatchRegistry& watches = handle->watches_;
  (void)watches.keep(std::move(handle));
}

// Returns what is kept no longer, because there is no room for it.
WatchRegistry::IdleWatch WatchRegistry::keep(HandlePtr handle) {
  base::MutexLock lock(mutex_);
  if (!handle->is_open()) return {std::move(handle)};
  handle->wakers_.clear();
  handle->skip_ = 0;
  handle->kept_ = true;
  --awaited_;
  IdleWatch& oldest = *std::ranges::min_element(kept_, {}, &IdleWatch::until);
  const auto until = Clock::now() + kKept;
  work_at(until);
  return std::exchange(oldest, {std::move(handle), until});
}

WatchRegistry::HandlePtr WatchRegistry::forget(const WatchHandle& handle) {
  for (IdleWatch& each : kept_) {
    if (each.handle.get() == &handle) return std::exchange(each, {}).handle;
  }
  return nullptr;
}

void WatchRegistry::work_at(Clock::time_point time) {
  if (due_ <= time) return;
  due_ = time;
  loop_.wake();
}

// Watches that wait to begin are looked at together, so that the loop is not woken for
// each of them.
Clock::time_point WatchRegistry::work() {
  IdleWatches ended;  // destroyed without the mutex
  base::MutexLock lock(mutex_);
  const auto now = Clock::now();
  if (now < due_) return due_;
  for (; !later_.empty() && later_.front().due <= now; later_.pop_front()) {
    const auto found = handles_.find(later_.front().id);
    if (found == handles_.end()) continue;
    found->second->waits_to_begin_ = false;
    begin(*found->second);
  }
  due_ = later_.empty() ? Clock::time_point::max() : now + kLater;
  for (std::size_t i = 0; i < kMostKept; ++i) {
    if (kept_[i].handle == nullptr) continue;
    if (kept_[i].until <= now) {
      ended[i] = std::exchange(kept_[i], {});
    } else {
      due_ = std::min(due_, kept_[i].until);
    }
  }
  return due_;
}

bool WatchRegistry::is_awaited() {
  base::MutexLock lock(mutex_);
  return awaited_ > 0;
}

bool WatchHandle::is_for(const engine::Waker& waker) const {
  base::MutexLock lock(watches_.mutex_);
  return std::find(wakers_.begin(), wakers_.end(), waker) != wakers_.end();
}

void WatchHandle::ring_after(std::size_t ends, std::int64_t revision) {
  base::MutexLock lock(watches_.mutex_);
  skip_ = ends > 0 ? ends - 1 : 0;
  if (last_ > revision) WatchRegistry::ring(*this);
}

void WatchHandle::ring_when_open() {
  base::MutexLock lock(watches_.mutex_);
  missed_ = missed_ || since_ == 0;
}

Result<std::int64_t> WatchHandle::wait(engine::Deadline until) {
  base::MutexLock lock(watches_.mutex_);
  for (;;) {
    if (is_open()) return since_;
    if (!refused_.empty() && watches_.is_final(*this)) {
      return Failure(Errc::denied,
                     "etcd refuses to watch " + target_.key + ": " + refused_);
    }
    if (!refused_.empty() && refused_token_ == watches_.calls_.token()) {
      lock.unlock();
      auto authenticated = watches_.calls_.authenticate(refused_token_, until);
      if (!authenticated) return std::move(authenticated).error();
      lock.lock();
      continue;
    }
    const auto left = base::time_left(until);
    if (left == Clock::duration::zero()) {
      return Failure(Errc::unavailable, "etcd has not opened a watch of " +
                                            target_.key + " in time; try again");
    }
    watches_.changed_.wait_for(lock, left);
  }
}

void WatchRegistry::begin(WatchHandle& handle) {
  if (!open_) return;
  ++handle.tries_;
  handle.sure_ = false;
  request(handle, handle.target_.prompt);
  unanswered_.push_back({handle.id_, false});
  if (!handle.target_.prompt) return;
  request(handle, false);
  unanswered_.push_back({handle.id_, true});
}

// etcd still knows the old id.
void WatchRegistry::begin_again(WatchHandle& handle) {
  cancel(handle.id_, true);
  handles_.erase(handle.id_);
  handle.id_ = ++last_id_;
  handle.since_ = 0;
  handles_.emplace(handle.id_, &handle);
  begin(handle);
}

// Only the first request may name a past revision: later on, the member would have to
// go through all that happened since.
void WatchRegistry::request(const WatchHandle& handle, bool more) {
  auto request = std::make_unique<wire::WatchRequest>();
  wire::WatchCreateRequest& create = *request->mutable_create_request();
  create.set_key(handle.target_.key);
  create.set_range_end(handle.target_.end);
  create.set_watch_id(handle.id_);
  if (!handle.missed_) create.set_start_revision(handle.target_.from);
  if (handle.target_.what == WatchFor::ends) {
    create.add_filters(wire::WatchCreateRequest::NOPUT);
  }
  stream_.send(std::move(request), more);
}

void WatchRegistry::ring(const WatchHandle& handle) noexcept {
  for (const engine::Waker& waker : handle.wakers_) {
    if (waker != nullptr) waker->ring();
  }
}

void WatchRegistry::ring_all() {
  base::MutexLock lock(mutex_);
  for (const auto& [id, handle] : handles_) ring(*handle);
}

void WatchRegistry::authenticated() {
  base::MutexLock lock(mutex_);
  for (const auto& [id, handle] : handles_) {
    if (!handle->refused_.empty()) return stream_.reopen_with(calls_.token());
  }
}

void WatchRegistry::on_open() {
  base::MutexLock lock(mutex_);
  open_ = true;
  for (const auto& [id, handle] : handles_) {
    if (!handle->waits_to_begin_) begin(*handle);
  }
}

void WatchRegistry::on_break() {
  IdleWatches ended;  // destroyed without the mutex
  base::MutexLock lock(mutex_);
  open_ = false;
  unanswered_.clear();
  ended.swap(kept_);
  for (const auto& [id, handle] : handles_) {
    handle->missed_ = handle->missed_ || handle->since_ != 0;
    handle->since_ = 0;
    handle->tries_ = 0;
    handle->refused_.clear();
  }
  changed_.notify_all();
}

void WatchRegistry::on_event(WatchHandle& handle, const wire::Event& event) {
  const wire::KeyValue& kv = event.kv();
  const bool end = event.type() == wire::Event::DELETE;
  const bool fresh = !end && kv.create_revision() == kv.mod_revision();
  if (fresh && handle.target_.what == WatchFor::changes) return;
  handle.last_ = kv.mod_revision();
  if (end && handle.skip_ > 0) {
    --handle.skip_;
    return;
  }
  ring(handle);
}

// Requests are answered in their order, and a refusal does not say which one it is for.
WatchRegistry::Answered WatchRegistry::answered_by(
    const wire::WatchResponse& response) {
  Requested asked{response.watch_id(), false};
  if (response.created() && !unanswered_.empty()) {
    asked = unanswered_.front();
    unanswered_.pop_front();
  }
  const auto found = handles_.find(asked.id);
  return {found == handles_.end() ? nullptr : found->second, asked.second};
}

// etcd may end a watch because events that it has not sent yet were compacted.
void WatchRegistry::on_cancelled(WatchHandle& handle,
                                 const wire::WatchResponse& response) {
  const bool refused = response.created() || (response.compact_revision() == 0 &&
                                              !response.cancel_reason().empty());
  handle.missed_ = handle.missed_ || handle.since_ != 0;
  handle.since_ = 0;
  if (!refused) return begin_again(handle);
  handle.refused_ =
      response.cancel_reason().empty() ? "it was cancelled" : response.cancel_reason();
  handle.refused_token_ = stream_.token();
  ring(handle);
  changed_.notify_all();
  stream_.reopen_with(calls_.token());
}

// etcd 3.4 says "permission denied" for every reason. A token that was issued after the
// watch was made cannot have been too old.
bool WatchRegistry::is_final(const WatchHandle& handle) const {
  return !calls_.has_user() || handle.refused_token_.since >= handle.created_at_;
}

void WatchRegistry::on_created(WatchHandle& handle, std::int64_t revision) {
  handle.since_ = revision;
  if (handle.missed_) ring(handle);
  if (handle.is_open()) changed_.notify_all();
}

void WatchRegistry::on_second(WatchHandle& handle, std::int64_t revision) {
  if (handle.since_ == 0) return;
  if (handle.since_ != revision && handle.tries_ < kMostTries) {
    return begin_again(handle);
  }
  handle.sure_ = true;
  changed_.notify_all();
}

void WatchRegistry::on_message(const google::protobuf::MessageLite& message) {
  const auto& response = static_cast<const wire::WatchResponse&>(message);
  HandlePtr ended;  // destroyed without the mutex
  base::MutexLock lock(mutex_);
  const Answered answered = answered_by(response);
  if (answered.handle == nullptr) return;
  WatchHandle& handle = *answered.handle;
  if (answered.second) return on_second(handle, response.header().revision());
  if (response.canceled() || response.events_size() > 0) ended = forget(handle);
  if (ended != nullptr) return;
  if (response.canceled()) return on_cancelled(handle, response);
  if (response.created()) on_created(handle, response.header().revision());
  for (const wire::Event& event : response.events()) on_event(handle, event);
}

}  // namespace holdfast::etcd
