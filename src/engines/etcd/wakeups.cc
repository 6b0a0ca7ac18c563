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

WatchStream::WatchStream(EventLoop& loop, Channels& channels, Calls& calls)
    : loop_(loop),
      calls_(calls),
      stream_(loop, channels, calls, "/etcdserverpb.Watch/Watch",
              std::make_unique<wire::WatchResponse>(), *this) {}

void WatchStream::add_jobs(std::vector<PeriodicJob*>& to) {
  to.push_back(this);
  to.push_back(&stream_);
}

std::shared_ptr<KeyWatch> WatchStream::watch(WatchedKeys target,
                                             std::vector<engine::Waker> wakers) {
  auto watch = take_kept(target, wakers);
  if (watch == nullptr) {
    watch = std::make_shared<KeyWatch>(*this, std::move(target), std::move(wakers),
                                       KeyWatch::Begin::now);
    stream_.keep_open();
  }
  loop_.end_rest();
  return watch;
}

std::shared_ptr<KeyWatch> WatchStream::watch_later(WatchedKeys target,
                                                   std::vector<engine::Waker> wakers) {
  auto watch = std::make_shared<KeyWatch>(*this, std::move(target), std::move(wakers),
                                          KeyWatch::Begin::later);
  stream_.keep_open();
  return watch;
}

KeyWatch::KeyWatch(WatchStream& stream, WatchedKeys target,
                   std::vector<engine::Waker> wakers, Begin begin)
    : stream_(stream), target_(std::move(target)), wakers_(std::move(wakers)) {
  base::MutexLock lock(stream_.mutex_);
  id_ = ++stream_.last_id_;
  waits_to_begin_ = begin == Begin::later;
  if (waits_to_begin_) {
    stream_.later_.push_back({id_, created_at_ + kLater});
    stream_.work_at(created_at_ + kLater);
  }
  stream_.watches_.emplace(id_, this);
  if (target_.prompt) ++stream_.awaited_;
  if (!waits_to_begin_) stream_.begin(*this);
}

KeyWatch::~KeyWatch() {
  base::MutexLock lock(stream_.mutex_);
  stream_.watches_.erase(id_);
  if (target_.prompt && !kept_) --stream_.awaited_;
  if (refused_.empty() && !waits_to_begin_) stream_.cancel(id_);
}

void WatchStream::cancel(std::int64_t id, bool more) {
  if (!open_) return;
  auto request = std::make_unique<wire::WatchRequest>();
  request->mutable_cancel_request()->set_watch_id(id);
  stream_.send(std::move(request), more);
}

WatchStream::WatchPtr WatchStream::take_kept(const WatchedKeys& target,
                                             std::vector<engine::Waker>& wakers) {
  base::MutexLock lock(mutex_);
  for (IdleWatch& each : kept_) {
    if (each.watch == nullptr || each.watch->target_ != target) continue;
    WatchPtr watch = std::exchange(each, {}).watch;
    watch->wakers_ = std::move(wakers);
    watch->kept_ = false;
    ++awaited_;
    return watch;
  }
  return nullptr;
}

void KeyWatch::keep(std::shared_ptr<KeyWatch> watch) noexcept {
  if (watch == nullptr || !watch->target_.end.empty()) return;
  WatchStream& stream = watch->stream_;
  (void)stream.keep(std::move(watch));
}

// Returns what is kept no longer, because there is no room for it.
WatchStream::IdleWatch WatchStream::keep(WatchPtr watch) {
  base::MutexLock lock(mutex_);
  if (!watch->is_open()) return {std::move(watch)};
  watch->wakers_.clear();
  watch->skip_ = 0;
  watch->kept_ = true;
  --awaited_;
  IdleWatch& oldest = *std::ranges::min_element(kept_, {}, &IdleWatch::until);
  const auto until = Clock::now() + kKept;
  work_at(until);
  return std::exchange(oldest, {std::move(watch), until});
}

WatchStream::WatchPtr WatchStream::forget(const KeyWatch& watch) {
  for (IdleWatch& each : kept_) {
    if (each.watch.get() == &watch) return std::exchange(each, {}).watch;
  }
  return nullptr;
}

void WatchStream::work_at(Clock::time_point time) {
  if (due_ <= time) return;
  due_ = time;
  loop_.wake();
}

// Watches that wait to begin are looked at together, so that the loop is not woken for
// each of them.
Clock::time_point WatchStream::work() {
  IdleWatches ended;  // destroyed without the mutex
  base::MutexLock lock(mutex_);
  const auto now = Clock::now();
  if (now < due_) return due_;
  for (; !later_.empty() && later_.front().due <= now; later_.pop_front()) {
    const auto found = watches_.find(later_.front().id);
    if (found == watches_.end()) continue;
    found->second->waits_to_begin_ = false;
    begin(*found->second);
  }
  due_ = later_.empty() ? Clock::time_point::max() : now + kLater;
  for (std::size_t i = 0; i < kMostKept; ++i) {
    if (kept_[i].watch == nullptr) continue;
    if (kept_[i].until <= now) {
      ended[i] = std::exchange(kept_[i], {});
    } else {
      due_ = std::min(due_, kept_[i].until);
    }
  }
  return due_;
}

bool WatchStream::is_awaited() {
  base::MutexLock lock(mutex_);
  return awaited_ > 0;
}

bool KeyWatch::is_for(const engine::Waker& waker) const {
  base::MutexLock lock(stream_.mutex_);
  return std::find(wakers_.begin(), wakers_.end(), waker) != wakers_.end();
}

void KeyWatch::ring_after(std::size_t ends, std::int64_t revision) {
  base::MutexLock lock(stream_.mutex_);
  skip_ = ends > 0 ? ends - 1 : 0;
  if (last_ > revision) WatchStream::ring(*this);
}

void KeyWatch::ring_when_open() {
  base::MutexLock lock(stream_.mutex_);
  missed_ = missed_ || since_ == 0;
}

Result<std::int64_t> KeyWatch::wait(engine::Deadline until) {
  base::MutexLock lock(stream_.mutex_);
  for (;;) {
    if (is_open()) return since_;
    if (!refused_.empty() && stream_.is_final(*this)) {
      return Failure(Errc::denied, stream_.calls_.servers() + " refuses to watch " +
                                       target_.key + ": " + refused_ +
                                       "; check the user and its rights");
    }
    if (!refused_.empty() && refused_token_ == stream_.calls_.token()) {
      lock.unlock();
      auto authenticated = stream_.calls_.authenticate(refused_token_, until);
      if (!authenticated) return std::move(authenticated).error();
      lock.lock();
      continue;
    }
    const auto left = base::time_left(until);
    if (left == Clock::duration::zero()) {
      return Failure(Errc::unavailable, stream_.calls_.servers() +
                                            " has not opened a watch of " +
                                            target_.key + " in time; try again");
    }
    stream_.changed_.wait_for(lock, left);
  }
}

void WatchStream::begin(KeyWatch& watch) {
  if (!open_) return;
  ++watch.tries_;
  watch.sure_ = false;
  request(watch, watch.target_.prompt);
  unanswered_.push_back({watch.id_, false});
  if (!watch.target_.prompt) return;
  request(watch, false);
  unanswered_.push_back({watch.id_, true});
}

// etcd still knows the old id.
void WatchStream::begin_again(KeyWatch& watch) {
  cancel(watch.id_, true);
  watches_.erase(watch.id_);
  watch.id_ = ++last_id_;
  watch.since_ = 0;
  watches_.emplace(watch.id_, &watch);
  begin(watch);
}

// Only the first request may name a past revision: later on, the member would have to
// go through all that happened since.
void WatchStream::request(const KeyWatch& watch, bool more) {
  auto request = std::make_unique<wire::WatchRequest>();
  wire::WatchCreateRequest& create = *request->mutable_create_request();
  create.set_key(watch.target_.key);
  create.set_range_end(watch.target_.end);
  create.set_watch_id(watch.id_);
  if (!watch.missed_) create.set_start_revision(watch.target_.from);
  if (watch.target_.what == WatchFor::ends) {
    create.add_filters(wire::WatchCreateRequest::NOPUT);
  }
  stream_.send(std::move(request), more);
}

void WatchStream::ring(const KeyWatch& watch) noexcept {
  for (const engine::Waker& waker : watch.wakers_) {
    if (waker != nullptr) waker->ring();
  }
}

void WatchStream::ring_all() {
  base::MutexLock lock(mutex_);
  for (const auto& [id, watch] : watches_) ring(*watch);
}

void WatchStream::authenticated() {
  base::MutexLock lock(mutex_);
  for (const auto& [id, watch] : watches_) {
    if (!watch->refused_.empty()) return stream_.reopen_with(calls_.token());
  }
}

void WatchStream::on_open() {
  base::MutexLock lock(mutex_);
  open_ = true;
  for (const auto& [id, watch] : watches_) {
    if (!watch->waits_to_begin_) begin(*watch);
  }
}

void WatchStream::on_break() {
  IdleWatches ended;  // destroyed without the mutex
  base::MutexLock lock(mutex_);
  open_ = false;
  unanswered_.clear();
  ended.swap(kept_);
  for (const auto& [id, watch] : watches_) {
    watch->missed_ = watch->missed_ || watch->since_ != 0;
    watch->since_ = 0;
    watch->tries_ = 0;
    watch->refused_.clear();
  }
  changed_.notify_all();
}

void WatchStream::on_event(KeyWatch& watch, const wire::Event& event) {
  const wire::KeyValue& kv = event.kv();
  const bool end = event.type() == wire::Event::DELETE;
  const bool fresh = !end && kv.create_revision() == kv.mod_revision();
  if (fresh && watch.target_.what == WatchFor::changes) return;
  watch.last_ = kv.mod_revision();
  if (end && watch.skip_ > 0) {
    --watch.skip_;
    return;
  }
  ring(watch);
}

// Requests are answered in their order, and a refusal does not say which one it is for.
WatchStream::Answered WatchStream::answered_by(const wire::WatchResponse& response) {
  Requested asked{response.watch_id(), false};
  if (response.created() && !unanswered_.empty()) {
    asked = unanswered_.front();
    unanswered_.pop_front();
  }
  const auto found = watches_.find(asked.id);
  return {found == watches_.end() ? nullptr : found->second, asked.second};
}

// etcd may end a watch because events that it has not sent yet were compacted.
void WatchStream::on_cancelled(KeyWatch& watch, const wire::WatchResponse& response) {
  const bool refused = response.created() || (response.compact_revision() == 0 &&
                                              !response.cancel_reason().empty());
  watch.missed_ = watch.missed_ || watch.since_ != 0;
  watch.since_ = 0;
  if (!refused) return begin_again(watch);
  watch.refused_ =
      response.cancel_reason().empty() ? "it was cancelled" : response.cancel_reason();
  watch.refused_token_ = stream_.token();
  ring(watch);
  changed_.notify_all();
  stream_.reopen_with(calls_.token());
}

// etcd 3.4 says "permission denied" for every reason. A token that was issued after the
// watch was made cannot have been too old.
bool WatchStream::is_final(const KeyWatch& watch) const {
  return !calls_.has_user() || watch.refused_token_.since >= watch.created_at_;
}

void WatchStream::on_created(KeyWatch& watch, std::int64_t revision) {
  watch.since_ = revision;
  if (watch.missed_) ring(watch);
  if (watch.is_open()) changed_.notify_all();
}

void WatchStream::on_second(KeyWatch& watch, std::int64_t revision) {
  if (watch.since_ == 0) return;
  if (watch.since_ != revision && watch.tries_ < kMostTries) {
    return begin_again(watch);
  }
  watch.sure_ = true;
  changed_.notify_all();
}

void WatchStream::on_message(const google::protobuf::MessageLite& message) {
  const auto& response = static_cast<const wire::WatchResponse&>(message);
  WatchPtr ended;  // destroyed without the mutex
  base::MutexLock lock(mutex_);
  const Answered answered = answered_by(response);
  if (answered.watch == nullptr) return;
  KeyWatch& watch = *answered.watch;
  if (answered.second) return on_second(watch, response.header().revision());
  if (response.canceled() || response.events_size() > 0) ended = forget(watch);
  if (ended != nullptr) return;
  if (response.canceled()) return on_cancelled(watch, response);
  if (response.created()) on_created(watch, response.header().revision());
  for (const wire::Event& event : response.events()) on_event(watch, event);
}

}  // namespace holdfast::etcd
