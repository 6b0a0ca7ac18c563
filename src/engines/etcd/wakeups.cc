// SPDX-License-Identifier: Apache-2.0

#include "engines/etcd/wakeups.h"

#include <algorithm>
#include <utility>

#include "base/time_left.h"

namespace holdfast::etcd {

WatchRegistry::WatchRegistry(EventLoop& loop, Channels& channels, Calls& calls)
    : calls_(calls),
      stream_(loop, channels, calls, "/etcdserverpb.Watch/Watch",
              std::make_unique<wire::WatchResponse>(), *this) {}

std::shared_ptr<WatchHandle> WatchRegistry::watch(WatchTarget target,
                                                  std::vector<engine::Waker> wakers) {
  auto handle =
      std::make_shared<WatchHandle>(*this, std::move(target), std::move(wakers));
  stream_.want();
  return handle;
}

WatchHandle::WatchHandle(WatchRegistry& watches, WatchTarget target,
                         std::vector<engine::Waker> wakers)
    : watches_(watches), target_(std::move(target)), wakers_(std::move(wakers)) {
  base::MutexLock lock(watches_.mutex_);
  id_ = ++watches_.last_id_;
  watches_.handles_.emplace(id_, this);
  watches_.begin(*this);
}

WatchHandle::~WatchHandle() {
  base::MutexLock lock(watches_.mutex_);
  watches_.handles_.erase(id_);
  if (refused_.empty()) watches_.cancel(id_);
}

void WatchRegistry::cancel(std::int64_t id) {
  if (!open_) return;
  auto request = std::make_unique<wire::WatchRequest>();
  request->mutable_cancel_request()->set_watch_id(id);
  stream_.send(std::move(request));
}

bool WatchHandle::is_for(const engine::Waker& waker) const noexcept {
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
    if (since_ != 0) return since_;
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
  auto request = std::make_unique<wire::WatchRequest>();
  wire::WatchCreateRequest& create = *request->mutable_create_request();
  create.set_key(handle.target_.key);
  create.set_range_end(handle.target_.end);
  create.set_watch_id(handle.id_);
  unconfirmed_.push_back(handle.id_);
  if (handle.target_.what == WatchFor::ends) {
    create.add_filters(wire::WatchCreateRequest::NOPUT);
  }
  stream_.send(std::move(request));
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
  for (const auto& [id, handle] : handles_) begin(*handle);
}

void WatchRegistry::on_break() {
  base::MutexLock lock(mutex_);
  open_ = false;
  unconfirmed_.clear();
  for (const auto& [id, handle] : handles_) {
    handle->missed_ = handle->missed_ || handle->since_ != 0;
    handle->since_ = 0;
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
std::int64_t WatchRegistry::watch_id_of(const wire::WatchResponse& response) {
  if (!response.created()) return response.watch_id();
  const bool nameless = response.watch_id() < 0 && !unconfirmed_.empty();
  const std::int64_t id = nameless ? unconfirmed_.front() : response.watch_id();
  std::erase(unconfirmed_, id);
  return id;
}

// etcd may end a watch because events that it has not sent yet were compacted. The
// watch then begins again under another id, since etcd still knows the old one.
void WatchRegistry::on_cancelled(WatchHandle& handle,
                                 const wire::WatchResponse& response) {
  const bool refused = response.created() || (response.compact_revision() == 0 &&
                                              !response.cancel_reason().empty());
  handle.missed_ = handle.missed_ || handle.since_ != 0;
  handle.since_ = 0;
  if (!refused) {
    cancel(handle.id_);
    handles_.erase(handle.id_);
    handle.id_ = ++last_id_;
    handles_.emplace(handle.id_, &handle);
    return begin(handle);
  }
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

void WatchRegistry::on_message(const google::protobuf::MessageLite& message) {
  const auto& response = static_cast<const wire::WatchResponse&>(message);
  base::MutexLock lock(mutex_);
  const auto found = handles_.find(watch_id_of(response));
  if (found == handles_.end()) return;
  WatchHandle& handle = *found->second;
  if (response.canceled()) return on_cancelled(handle, response);
  if (response.created()) {
    handle.since_ = response.header().revision();
    if (handle.missed_) ring(handle);
    changed_.notify_all();
  }
  for (const wire::Event& event : response.events()) on_event(handle, event);
}

}  // namespace holdfast::etcd
