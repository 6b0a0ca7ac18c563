#include "engines/etcd/watches.h"

#include <algorithm>
#include <utility>

#include "base/time_left.h"

namespace holdfast::etcd {

Watches::Watches(Loop& loop, Channels& channels, Calls& calls)
    : calls_(calls),
      stream_(loop, channels, calls, "/etcdserverpb.Watch/Watch",
              std::make_unique<wire::WatchResponse>(), *this) {}

std::shared_ptr<Watches::Ear> Watches::listen(Target target,
                                              std::vector<engine::Waker> wakers) {
  auto ear = std::make_shared<Ear>(*this, std::move(target), std::move(wakers));
  stream_.want();
  return ear;
}

Watches::Ear::Ear(Watches& watches, Target target, std::vector<engine::Waker> wakers)
    : watches_(watches), target_(std::move(target)), wakers_(std::move(wakers)) {
  base::MutexLock lock(watches_.mutex_);
  id_ = ++watches_.last_id_;
  watches_.ears_.emplace(id_, this);
  watches_.begin(*this);
}

Watches::Ear::~Ear() {
  base::MutexLock lock(watches_.mutex_);
  watches_.ears_.erase(id_);
  if (refused_.empty()) watches_.cancel(id_);
}

void Watches::cancel(std::int64_t id) {
  if (!open_) return;
  auto request = std::make_unique<wire::WatchRequest>();
  request->mutable_cancel_request()->set_watch_id(id);
  stream_.send(std::move(request));
}

bool Watches::Ear::is_for(const engine::Waker& waker) const noexcept {
  return std::find(wakers_.begin(), wakers_.end(), waker) != wakers_.end();
}

void Watches::Ear::ring_after(std::size_t ends, std::int64_t revision) {
  base::MutexLock lock(watches_.mutex_);
  skip_ = ends > 0 ? ends - 1 : 0;
  if (last_ > revision) ring(*this);
}

void Watches::Ear::ring_when_open() {
  base::MutexLock lock(watches_.mutex_);
  missed_ = missed_ || since_ == 0;
}

Result<std::int64_t> Watches::Ear::wait(engine::Deadline until) {
  base::MutexLock lock(watches_.mutex_);
  for (;;) {
    if (since_ != 0) return since_;
    if (!refused_.empty() && watches_.is_final(*this)) {
      return Failure(Errc::denied,
                     "etcd refuses to watch " + target_.key + ": " + refused_);
    }
    if (!refused_.empty() && refused_pass_ == watches_.calls_.pass()) {
      lock.unlock();
      auto signed_on = watches_.calls_.sign_on(refused_pass_, until);
      if (!signed_on) return std::move(signed_on).error();
      lock.lock();
      continue;
    }
    const auto left = base::time_left(until);
    if (left == Clock::duration::zero()) {
      return Failure(Errc::unavailable, "etcd does not tell of changes");
    }
    watches_.changed_.wait_for(lock, left);
  }
}

void Watches::begin(Ear& ear) {
  if (!open_) return;
  auto request = std::make_unique<wire::WatchRequest>();
  wire::WatchCreateRequest& create = *request->mutable_create_request();
  create.set_key(ear.target_.key);
  create.set_range_end(ear.target_.end);
  create.set_watch_id(ear.id_);
  unconfirmed_.push_back(ear.id_);
  if (ear.target_.what == What::ends) {
    create.add_filters(wire::WatchCreateRequest::NOPUT);
  }
  stream_.send(std::move(request));
}

void Watches::ring(const Ear& ear) noexcept {
  for (const engine::Waker& waker : ear.wakers_) {
    if (waker != nullptr) waker->ring();
  }
}

void Watches::ring_all() {
  base::MutexLock lock(mutex_);
  for (const auto& [id, ear] : ears_) ring(*ear);
}

void Watches::signed_on() {
  base::MutexLock lock(mutex_);
  for (const auto& [id, ear] : ears_) {
    if (!ear->refused_.empty()) return stream_.sign_anew(calls_.pass());
  }
}

void Watches::opened() {
  base::MutexLock lock(mutex_);
  open_ = true;
  for (const auto& [id, ear] : ears_) begin(*ear);
}

void Watches::broken() {
  base::MutexLock lock(mutex_);
  open_ = false;
  unconfirmed_.clear();
  for (const auto& [id, ear] : ears_) {
    ear->missed_ = ear->missed_ || ear->since_ != 0;
    ear->since_ = 0;
    ear->refused_.clear();
  }
  changed_.notify_all();
}

void Watches::take(Ear& ear, const wire::Event& event) {
  const wire::KeyValue& kv = event.kv();
  const bool end = event.type() == wire::Event::DELETE;
  const bool fresh = !end && kv.create_revision() == kv.mod_revision();
  if (fresh && ear.target_.what == What::changes) return;
  ear.last_ = kv.mod_revision();
  if (end && ear.skip_ > 0) {
    --ear.skip_;
    return;
  }
  ring(ear);
}

// Requests are answered in their order, and etcd does not say which one it refuses.
std::int64_t Watches::whose(const wire::WatchResponse& response) {
  if (!response.created()) return response.watch_id();
  const bool nameless = response.watch_id() < 0 && !unconfirmed_.empty();
  const std::int64_t id = nameless ? unconfirmed_.front() : response.watch_id();
  std::erase(unconfirmed_, id);
  return id;
}

// A watch that was served may end because what it has not been told yet was compacted.
// Then it begins again, under another number, since etcd still knows the old one.
void Watches::cancelled(Ear& ear, const wire::WatchResponse& response) {
  const bool refused = response.created() || (response.compact_revision() == 0 &&
                                              !response.cancel_reason().empty());
  ear.missed_ = ear.missed_ || ear.since_ != 0;
  ear.since_ = 0;
  if (!refused) {
    cancel(ear.id_);
    ears_.erase(ear.id_);
    ear.id_ = ++last_id_;
    ears_.emplace(ear.id_, &ear);
    return begin(ear);
  }
  ear.refused_ =
      response.cancel_reason().empty() ? "it was cancelled" : response.cancel_reason();
  ear.refused_pass_ = stream_.pass();
  ring(ear);
  changed_.notify_all();
  stream_.sign_anew(calls_.pass());
}

// Whatever the reason, etcd 3.4 says that permission is denied. A pass that was given
// after the listening had begun is not too old.
bool Watches::is_final(const Ear& ear) const {
  return !calls_.has_user() || ear.refused_pass_.since >= ear.begun_;
}

void Watches::heard(const google::protobuf::MessageLite& message) {
  const auto& response = static_cast<const wire::WatchResponse&>(message);
  base::MutexLock lock(mutex_);
  const auto found = ears_.find(whose(response));
  if (found == ears_.end()) return;
  Ear& ear = *found->second;
  if (response.canceled()) return cancelled(ear, response);
  if (response.created()) {
    ear.since_ = response.header().revision();
    if (ear.missed_) ring(ear);
    changed_.notify_all();
  }
  for (const wire::Event& event : response.events()) take(ear, event);
}

}  // namespace holdfast::etcd
