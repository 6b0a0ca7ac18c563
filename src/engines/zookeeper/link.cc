#include "engines/zookeeper/link.h"

#include <algorithm>
#include <utility>

#include "base/thread.h"
#include "base/time_left.h"
#include "engines/zookeeper/xids.h"

namespace holdfast::zookeeper {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::nanoseconds kLookAgain = 500ms;

}  // namespace

Link::Link(const Options& options, std::chrono::milliseconds ttl, Ears& ears,
           engine::Waker alarm)
    : options_(options), ttl_(ttl), ears_(ears), alarm_(std::move(alarm)) {
  thread_ = base::start_thread("holdfast-zk", [this] { run(); });
}

Link::~Link() {
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

// Whoever lets go of a handle last may be the library's thread, which cannot end
// itself.
std::shared_ptr<Handle> Link::make() {
  return {new Handle(options_, ttl_, ears_, *this), [this](Handle* handle) {
            base::MutexLock list(retiring_);
            retired_.emplace_back(handle);
          }};
}

Failure Link::why_not() const {
  if (handle_ != nullptr && handle_->state() == Handle::State::refused) {
    return {Errc::unavailable,
            "no ZooKeeper at " + options_.spelt() + ": the hosts cannot be found"};
  }
  return {Errc::unavailable, "ZooKeeper at " + options_.spelt() + " does not answer"};
}

Result<std::shared_ptr<Handle>> Link::handle(engine::Deadline until) {
  base::MutexLock lock(mutex_);
  for (;;) {
    if (handle_ != nullptr && handle_->state() == Handle::State::connected) {
      return handle_;
    }
    const auto left = base::time_left(until);
    if (stopping_ || left == Clock::duration::zero()) return why_not();
    changed_.wait_for(lock, left);
  }
}

std::shared_ptr<Handle> Link::present() {
  base::MutexLock lock(mutex_);
  return handle_;
}

bool Link::has_ended(std::int64_t session) {
  const auto handle = present();
  return handle == nullptr || handle->id() != session ||
         handle->state() == Handle::State::expired;
}

void Link::bury(std::string path) {
  const auto handle = present();
  if (handle == nullptr) return;
  send(*handle, {this, std::move(path), handle->id()});
}

void Link::send(Handle& handle, Grave grave) {
  auto* const context = new Grave(std::move(grave));
  take_number(handle.raw());
  const int code =
      zoo_adelete(handle.raw(), context->path.c_str(), -1, on_buried, context);
  if (code != ZOK) on_buried(code, context);
}

void Link::on_buried(int code, const void* data) {
  const std::unique_ptr<Grave> grave(
      const_cast<Grave*>(static_cast<const Grave*>(data)));  // NOLINT: the library's
  if (code != ZCONNECTIONLOSS && code != ZOPERATIONTIMEOUT) return;
  Link& link = *grave->link;
  base::MutexLock lock(link.mutex_);
  link.graves_.push_back(std::move(*grave));
  link.changed_.notify_all();
}

// Nothing is heard while there is no connection, so afterwards everybody looks again.
void Link::state_changed(Handle& handle) noexcept {
  const auto state = handle.state();
  {
    base::MutexLock lock(mutex_);
    changed_.notify_all();
  }
  if (state == Handle::State::connecting) return;
  ears_.missed();
  if (state == Handle::State::expired && alarm_ != nullptr) alarm_->ring();
}

bool Link::is_over() const {
  return handle_ == nullptr || handle_->state() == Handle::State::expired ||
         handle_->open_by() <= Clock::now();
}

void Link::run() {
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
      if (chores.beat) chores.handle->beat();
      for (Grave& grave : chores.graves) send(*chores.handle, std::move(grave));
      chores.handle.reset();
      lock.lock();
      continue;
    }
    const auto next = std::min(handle_->open_by(), handle_->next_beat());
    changed_.wait_for(lock, base::time_left(next, kLookAgain));
    if (handle_->state() == Handle::State::refused) handle_.reset();
  }
}

// What is to be done without the mutex.
Link::Chores Link::take_chores() {
  Chores chores;
  {
    base::MutexLock list(retiring_);
    chores.retired.swap(retired_);
  }
  if (handle_->state() != Handle::State::connected) return chores;
  chores.handle = handle_;
  chores.beat = handle_->next_beat() <= Clock::now();
  chores.graves.swap(graves_);
  std::erase_if(chores.graves, [&](const Grave& grave) {
    return grave.session != chores.handle->id();
  });
  return chores;
}

}  // namespace holdfast::zookeeper
