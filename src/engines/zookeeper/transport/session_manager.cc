// SPDX-License-Identifier: Apache-2.0

#include "engines/zookeeper/transport/session_manager.h"

#include <algorithm>
#include <utility>

#include "base/common_failures.h"
#include "base/thread.h"
#include "base/time_left.h"
#include "engines/zookeeper/errors.h"
#include "engines/zookeeper/transport/xids.h"

namespace holdfast::zookeeper {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::nanoseconds kIdleCheck = 500ms;

}  // namespace

SessionManager::SessionManager(const Options& options, std::chrono::milliseconds ttl,
                               WatchRegistry& watches, engine::Waker alarm)
    : options_(options), ttl_(ttl), watches_(watches), alarm_(std::move(alarm)) {
  thread_ = base::start_thread("hf-zookeeper", [this] { run(); });
}

SessionManager::~SessionManager() {
  {
    base::MutexLock lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  thread_.join();
  std::shared_ptr<Handle> last;
  {
    base::MutexLock lock(mutex_);
    last.swap(handle_);
  }
  last.reset();
  std::vector<std::unique_ptr<Handle>> over;
  base::MutexLock list(retiring_);
  over.swap(retired_);
  list.unlock();
  over.clear();
  list.lock();
}

// The last reference to a handle may be released in the library's thread, which cannot
// end itself. So the manager's thread destroys the handles.
std::shared_ptr<Handle> SessionManager::make() {
  return {new Handle(options_, ttl_, watches_, *this), [this](Handle* handle) {
            base::MutexLock list(retiring_);
            retired_.emplace_back(handle);
          }};
}

Failure SessionManager::failure() const {
  const std::string server = "ZooKeeper at " + options_.spelt();
  if (handle_ != nullptr && handle_->state() == Handle::State::refused) {
    return base::cannot_reach(server, "no such host");
  }
  return base::not_answered(server, Errc::unavailable);
}

Result<std::shared_ptr<Handle>> SessionManager::handle(
    engine::Deadline until, std::optional<std::int64_t> only) {
  base::MutexLock lock(mutex_);
  for (;;) {
    if (only && has_now_ended(*only)) return failure();
    if (handle_ != nullptr && handle_->state() == Handle::State::connected) {
      return handle_;
    }
    const auto left = base::time_left(until);
    if (stopping_ || left == Clock::duration::zero()) return failure();
    changed_.wait_for(lock, left);
  }
}

std::shared_ptr<Handle> SessionManager::current() {
  base::MutexLock lock(mutex_);
  return handle_;
}

bool SessionManager::has_ended(std::int64_t session) {
  base::MutexLock lock(mutex_);
  return has_now_ended(session);
}

bool SessionManager::has_now_ended(std::int64_t session) const {
  return handle_ == nullptr || handle_->id() != session ||
         handle_->state() == Handle::State::expired;
}

void SessionManager::delete_later(std::string path) {
  const auto handle = current();
  if (handle == nullptr) return;
  send(*handle, {this, std::move(path), handle->id()});
}

void SessionManager::send(Handle& handle, PendingDelete pending) {
  auto* const context = new PendingDelete(std::move(pending));
  take_xid(handle.raw());
  const int code =
      zoo_adelete(handle.raw(), context->path.c_str(), -1, on_deleted, context);
  if (code != ZOK) on_deleted(code, context);
}

void SessionManager::on_deleted(int code, const void* data) {
  const std::unique_ptr<PendingDelete> pending(const_cast<PendingDelete*>(
      static_cast<const PendingDelete*>(data)));  // NOLINT: the library's
  if (!must_be_repeated(code)) return;
  SessionManager& manager = *pending->manager;
  base::MutexLock lock(manager.mutex_);
  manager.unanswered_deletes_.push_back(std::move(*pending));
  manager.changed_.notify_all();
}

// The node's version is asked for first, so that a later write is noticed.
struct SessionManager::LoneNode {
  zhandle_t* raw;  // it ends after the last answer
  std::string path;
  std::int32_t version = 0;
};

void SessionManager::delete_alone_later(const std::string& path) {
  const auto handle = current();
  if (handle == nullptr) return;
  auto node = std::make_unique<LoneNode>(LoneNode{handle->raw(), path});
  take_xid(node->raw);
  const int code = zoo_aexists(node->raw, path.c_str(), 0, on_lone_node, node.get());
  if (code == ZOK) (void)node.release();  // the answer owns it
}

void SessionManager::on_lone_node(int code, const Stat* stat, const void* data) {
  std::unique_ptr<LoneNode> node(
      const_cast<LoneNode*>(static_cast<const LoneNode*>(data)));  // NOLINT
  if (code != ZOK) return;
  node->version = stat->version;
  const std::string parent = node->path.substr(0, node->path.rfind('/'));
  take_xid(node->raw);
  code = zoo_aget_children(node->raw, parent.c_str(), 0, on_siblings, node.get());
  if (code == ZOK) (void)node.release();
}

void SessionManager::on_siblings(int code, const String_vector* all, const void* data) {
  const std::unique_ptr<const LoneNode> node(static_cast<const LoneNode*>(data));
  if (code != ZOK || all->count != 1) return;
  take_xid(node->raw);
  zoo_adelete(
      node->raw, node->path.c_str(), node->version, [](int, const void*) {}, nullptr);
}

// Events are not delivered while there is no connection, so afterwards every waiter
// reads again.
void SessionManager::state_changed(Handle& handle) noexcept {
  const auto state = handle.state();
  {
    base::MutexLock lock(mutex_);
    changed_.notify_all();
  }
  if (state == Handle::State::connecting) return;
  watches_.on_missed();
  if (state == Handle::State::expired && alarm_ != nullptr) alarm_->ring();
}

bool SessionManager::is_over() const {
  return handle_ == nullptr || handle_->state() == Handle::State::expired ||
         handle_->open_by() <= Clock::now();
}

void SessionManager::run() {
  base::MutexLock lock(mutex_);
  while (!stopping_) {
    if (is_over()) {
      handle_.reset();
      lock.unlock();
      auto next = make();
      lock.lock();
      handle_ = std::move(next);
      changed_.notify_all();
    }
    Chores chores = take_chores();
    if (chores.any()) {
      lock.unlock();
      chores.retired.clear();
      if (chores.heartbeat) chores.handle->send_heartbeat();
      for (PendingDelete& pending : chores.deletes)
        send(*chores.handle, std::move(pending));
      chores.handle.reset();
      lock.lock();
      continue;
    }
    const auto next = std::min(handle_->open_by(), handle_->next_heartbeat());
    changed_.wait_for(lock, base::time_left(next, kIdleCheck));
    if (handle_->state() == Handle::State::refused) handle_.reset();
  }
}

// What the thread does without the mutex.
SessionManager::Chores SessionManager::take_chores() {
  Chores chores;
  {
    base::MutexLock list(retiring_);
    chores.retired.swap(retired_);
  }
  if (handle_->state() != Handle::State::connected) return chores;
  chores.handle = handle_;
  chores.heartbeat = handle_->next_heartbeat() <= Clock::now();
  chores.deletes.swap(unanswered_deletes_);
  std::erase_if(chores.deletes, [&](const PendingDelete& pending) {
    return pending.session != chores.handle->id();
  });
  return chores;
}

}  // namespace holdfast::zookeeper
