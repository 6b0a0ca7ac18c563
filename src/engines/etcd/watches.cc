#include "engines/etcd/watches.h"

#include <algorithm>
#include <utility>

namespace holdfast::etcd {

Watches::Watches(Loop& loop, Channels& channels, Calls& calls)
    : calls_(calls),
      stream_(loop, channels, calls, "/etcdserverpb.Watch/Watch",
              std::make_unique<wire::WatchResponse>(), *this) {}

std::int64_t Watches::next_id() {
  base::MutexLock lock(mutex_);
  return ++last_id_;
}

std::shared_ptr<Watches::Ear> Watches::listen(Target target,
                                              std::vector<engine::Waker> wakers) {
  auto ear = std::make_shared<Ear>(*this, std::move(target), std::move(wakers));
  stream_.want();
  return ear;
}

Watches::Ear::Ear(Watches& watches, Target target, std::vector<engine::Waker> wakers)
    : watches_(watches),
      target_(std::move(target)),
      wakers_(std::move(wakers)),
      id_(watches.next_id()) {
  base::MutexLock lock(watches_.mutex_);
  watches_.ears_.emplace(id_, this);
  watches_.begin(*this);
}

Watches::Ear::~Ear() {
  base::MutexLock lock(watches_.mutex_);
  watches_.ears_.erase(id_);
  if (!watches_.open_ || !refused_.empty()) return;
  auto request = std::make_unique<wire::WatchRequest>();
  request->mutable_cancel_request()->set_watch_id(id_);
  watches_.stream_.send(std::move(request));
}

bool Watches::Ear::is_for(const engine::Waker& waker) const noexcept {
  return std::find(wakers_.begin(), wakers_.end(), waker) != wakers_.end();
}

void Watches::Ear::ring_after(std::size_t ends, std::int64_t revision) {
  base::MutexLock lock(watches_.mutex_);
  skip_ = ends > 0 ? ends - 1 : 0;
  if (last_ > revision) ring(*this);
}

Result<std::int64_t> Watches::Ear::wait(engine::Deadline until) {
  base::MutexLock lock(watches_.mutex_);
  for (;;) {
    if (!refused_.empty()) {
      const bool old = !watches_.stream_.is_signed_with(watches_.calls_.token());
      if (old) watches_.stream_.restart();
      return Failure(old ? Errc::unavailable : Errc::denied,
                     "etcd refuses to watch " + target_.key + ": " + refused_);
    }
    if (since_ != 0) return since_;
    const auto left = until == engine::Deadline::max()
                          ? std::chrono::nanoseconds(std::chrono::hours(1))
                          : until - Clock::now();
    if (left <= Clock::duration::zero()) {
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

void Watches::opened() {
  base::MutexLock lock(mutex_);
  open_ = true;
  for (const auto& [id, ear] : ears_) begin(*ear);
}

void Watches::broken() {
  base::MutexLock lock(mutex_);
  open_ = false;
  for (const auto& [id, ear] : ears_) {
    ear->missed_ = ear->missed_ || ear->since_ != 0;
    ear->since_ = 0;
    ear->refused_.clear();
  }
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

void Watches::heard(const google::protobuf::MessageLite& message) {
  const auto& response = static_cast<const wire::WatchResponse&>(message);
  base::MutexLock lock(mutex_);
  const auto found = ears_.find(response.watch_id());
  if (found == ears_.end()) return;
  Ear& ear = *found->second;
  if (response.canceled()) {
    ear.since_ = 0;
    ear.refused_ = response.cancel_reason().empty() ? "it was cancelled"
                                                    : response.cancel_reason();
    ring(ear);
    changed_.notify_all();
    return;
  }
  if (response.created()) {
    ear.since_ = response.header().revision();
    if (ear.missed_) ring(ear);
    changed_.notify_all();
  }
  for (const wire::Event& event : response.events()) take(ear, event);
}

}  // namespace holdfast::etcd
